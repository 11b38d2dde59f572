import type { Books } from '../books/books.ts'
import type { RecordDraft } from '../books/journal-record.ts'
import { isMovement } from '../books/order.ts'
import type { Plant, ReserveTerms, SettlementNote, WaitingLine } from '../books/settlement-note.ts'
import type { Chain, ChainState } from '../books/settlements.ts'
import { ControlRefusal } from '../control/control-request.ts'
import { addDays } from './bank-days.ts'
import { TEXT_PLANTS } from './damage.ts'
import { decideFile, hasContent } from './decide-file.ts'
import type { DisputeOf } from './decide-file.ts'
import { SettlementFiles } from './settlement-files.ts'

export interface SettlementParts {
  readonly books: Books
  /** The bank's folder. */
  readonly folder: string
  /** Books a record; resolves when it is on the disk. */
  readonly book: (draft: RecordDraft) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly disputeOf: DisputeOf
  /** Called when the due files are made, also where none was; what it books is for later files. */
  readonly afterFiles: () => Promise<void>
}

/** A finished file, as the control API lists it. */
export interface ListedFile {
  readonly name: string
  readonly merchant: string
  /** ISO 4217 numeric. */
  readonly currency: string
  readonly seq: number
  readonly businessDate: string
  readonly lines: number
  readonly sha256: string
}

/** A merchant account and a settlement currency, ISO 4217 numeric. */
export type ChainName = Pick<ChainState, 'merchant' | 'currency'>

/**
 * Makes the settlement files. The decision for a file is in the journal before the file is made,
 * and the file follows from the decision and the books. So a file that a crash interrupts is made
 * again with the same bytes.
 */
export class Settlement {
  readonly #parts: SettlementParts
  readonly #files: SettlementFiles
  readonly #plants = new Map<string, Plant[]>()
  /** Files are made one after the other. */
  #queue: Promise<unknown> = Promise.resolve()

  private constructor(parts: SettlementParts) {
    this.#parts = parts
    this.#files = new SettlementFiles(parts.folder)
  }

  /** Opens the folder of the files, finishes the file that a crash has interrupted, and goes on. */
  static async open(parts: SettlementParts): Promise<Settlement> {
    const settlement = new Settlement(parts)
    await settlement.#files.prepare()
    for (const chain of parts.books.settlements.all()) await settlement.#finish(chain)
    // Files of ended days come before the steps that a new day brings, as without the stop.
    await settlement.makeDue()
    return settlement
  }

  /** Makes the files of the days that have ended, by the clocks of the bank and of test sites. */
  makeDue(): Promise<readonly ListedFile[]> {
    return this.#queued(async () => {
      const made: ListedFile[] = []
      for (const chain of this.#parts.books.settlements.all()) {
        const yesterday = addDays(this.#dayOf(chain.merchant), -1)
        const isOver = chain.waitingSince !== '' && chain.waitingSince <= yesterday
        const isHeld = chain.held.some(({ releaseOn }) => releaseOn <= yesterday)
        if (isOver || isHeld) made.push(...(await this.#make(chain, yesterday)))
      }
      await this.#parts.afterFiles()
      return made
    })
  }

  /**
   * Makes the files of a merchant now, in one currency or in all, for what waits. Without a
   * business day they are of the merchant's current one. Nothing is made where nothing waits.
   */
  makeNow(
    merchant: string,
    currency: string | null,
    businessDate: string | null,
  ): Promise<readonly ListedFile[]> {
    return this.#queued(async () => {
      const made: ListedFile[] = []
      for (const chain of this.#parts.books.settlements.all()) {
        const isNamed = currency === null || chain.currency === currency
        if (chain.merchant !== merchant || !isNamed) continue
        made.push(...(await this.#make(chain, businessDate ?? this.#dayOf(merchant))))
      }
      await this.#parts.afterFiles()
      return made
    })
  }

  /** A chargeback, its reversal or its fee, for the next file of the chain. */
  addDisputeLine(chain: ChainName, line: WaitingLine): Promise<void> {
    return this.#note(chain, { step: 'line', line })
  }

  /**
   * Has the next file reject a capture, refund or credit, by the key of its message. Throws
   * ControlRefusal where the merchant has none of that key, or where a file or a void was first.
   */
  async reject(merchant: string, key: string): Promise<void> {
    const movement = this.#parts.books.find(key)
    if (movement === undefined || !isMovement(movement) || movement.merchant !== merchant) {
      throw new ControlRefusal(404, `Merchant ${merchant} has no capture or refund ${key}.`)
    }
    const { amount, file, kind, rejectedInSettlement } = movement
    if (rejectedInSettlement) return
    if (file > 0 || amount === 0n) {
      const why = file > 0 ? `is in settlement file ${file} already` : 'is voided'
      throw new ControlRefusal(
        409,
        `The ${kind} ${key} ${why}, so no file can reject it. Choose one that waits for its file.`,
      )
    }
    await this.#note({ merchant, currency: '' }, { step: 'reject', key })
  }

  /** Holds a share of sales back from the next file on; null ends that. */
  setReserve(chain: ChainName, reserve: ReserveTerms | null): Promise<void> {
    return this.#note(chain, { step: 'terms', reserve })
  }

  /** The test sites of a merchant have reached a day: files of the days before it are due. */
  async reachDay(merchant: string, day: string): Promise<readonly ListedFile[]> {
    // A day that is known already needs no record: a gateway states it again after its start.
    if (day > (this.#parts.books.settlements.days.get(merchant) ?? '')) {
      await this.#note({ merchant, currency: '' }, { step: 'day', day })
    }
    return this.makeDue()
  }

  /** Gives the next file of a chain a difference. It is forgotten when the bank stops before. */
  plant(chain: ChainName, plant: Plant): void {
    const key = keyOf(chain)
    this.#plants.set(key, [...(this.#plants.get(key) ?? []), plant])
  }

  /** Gives a finished file a damage of its text. False where there is no such file. */
  async damage(name: string, plant: Plant): Promise<boolean> {
    const found = this.#find(name)
    if (found === null) return false
    await this.#queued(() => this.#files.damage(name, plant, found.currency))
    return true
  }

  /** Lets readers have the sound file. False where there is no such file. */
  async correct(name: string): Promise<boolean> {
    if (this.#find(name) === null) return false
    await this.#files.correct(name)
    return true
  }

  /** The finished files of the named merchants, of all without a name, by number. */
  async list(merchants: ReadonlySet<string>): Promise<ListedFile[]> {
    const files: ListedFile[] = []
    for (const chain of this.#parts.books.settlements.all()) {
      if (merchants.size > 0 && !merchants.has(chain.merchant)) continue
      for (const file of chain.files) {
        if (!(await this.#files.isKeptBack(file.name))) files.push(listed(chain, file))
      }
    }
    return files
  }

  /** The path of a finished file or of its CSV; null where there is none. */
  async pathOf(name: string): Promise<string | null> {
    const jsonName = name.replace(/\.csv$/, '.jsonl')
    if (this.#find(jsonName) === null || (await this.#files.isKeptBack(jsonName))) return null
    return this.#files.pathOf(name)
  }

  /** Resolves when no file is being made. */
  async stop(): Promise<void> {
    await this.#queue
  }

  async #make(chain: Chain, businessDate: string): Promise<ListedFile[]> {
    const finished = await this.#finish(chain)
    const plants = this.#plants.get(keyOf(chain)) ?? []
    if (!hasContent(chain, businessDate)) return finished
    this.#plants.delete(keyOf(chain))
    const now = new Date(this.#parts.now()).toISOString()
    const { disputeOf } = this.#parts
    await this.#note(chain, decideFile(chain, businessDate, plants, now, disputeOf))
    return [...finished, ...(await this.#finish(chain))]
  }

  /** Writes the chain's decided file, if there is one, and records it. */
  async #finish(chain: Chain): Promise<ListedFile[]> {
    const { open } = chain
    if (open === null) return []
    const made = await this.#files.write(chain, open)
    for (const plant of open.plants ?? []) {
      if (TEXT_PLANTS.has(plant.kind)) await this.#files.damage(made.name, plant, chain.currency)
      if (plant.kind === 'kept_back') await this.#files.keepBack(made.name)
    }
    await this.#note(chain, made)
    return [listed(chain, made)]
  }

  async #note({ merchant, currency }: ChainName, settlement: SettlementNote): Promise<void> {
    const at = new Date(this.#parts.now()).toISOString()
    await this.#parts.book({ kind: 'settlement', at, merchant, currency, settlement, postings: [] })
  }

  #dayOf(merchant: string): string {
    const bankDay = new Date(this.#parts.now()).toISOString().slice(0, 10)
    return this.#parts.books.settlements.dayOf(merchant, bankDay)
  }

  #find(name: string): Chain | null {
    for (const chain of this.#parts.books.settlements.all()) {
      if (chain.files.some((file) => file.name === name)) return chain
    }
    return null
  }

  #queued<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => undefined)
    return done
  }
}

function keyOf({ currency, merchant }: ChainName): string {
  return `${merchant}/${currency}`
}

function listed(
  { currency, merchant }: ChainName,
  file: Omit<ListedFile, keyof ChainName>,
): ListedFile {
  const { businessDate, lines, name, seq, sha256 } = file
  return { name, merchant, currency, seq, businessDate, lines, sha256 }
}
