import { createReadStream } from 'node:fs'
import { access, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Decision, MadeFile, Plant } from '../books/settlement-note.ts'
import type { Chain } from '../books/settlements.ts'
import { codeOf } from '../issuer/currencies.ts'
import { nextBankDay } from './bank-days.ts'
import { damagedText } from './damage.ts'
import { fileLines } from './file-lines.ts'
import type { ReserveEffect } from './file-lines.ts'
import { CSV_HEADER, csvLine } from './settlement-csv.ts'
import type { SettlementHead, SettlementLine } from './settlement-line.ts'
import { settlementText } from './settlement-text.ts'

/** The folder of the files inside the bank's folder. */
const FOLDER = 'settlement'
const SENDER = 'bank-demo'
const ZONE = 'UTC'
const LINES_A_PIECE = 1_000

/** The settlement files on the disk. Each is written beside its place, synced, and renamed. */
export class SettlementFiles {
  readonly #folder: string

  constructor(bankFolder: string) {
    this.#folder = join(bankFolder, FOLDER)
  }

  /** Creates the folder if it is missing. */
  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
  }

  /**
   * Writes the chain's decided file and its CSV. Written again after a crash, both have the same
   * bytes: they follow from the books. Returns the note of the finished file.
   */
  async write(chain: Chain, decision: Decision): Promise<MadeFile> {
    const head = headOf(chain, decision)
    const name = fileName(head)
    const effect: ReserveEffect = { released: [] }
    const csv = await Output.open(join(this.#folder, csvName(name)))
    const out = await Output.open(join(this.#folder, name))
    try {
      await csv.add(CSV_HEADER)
      let n = 0
      const rows: string[] = []
      function* watched(): Generator<SettlementLine> {
        for (const line of fileLines(chain, head, effect)) {
          n += 1
          rows.push(csvLine(line, n, chain.currency))
          yield line
        }
      }
      const text = settlementText(head, watched())
      let step = text.next()
      for (; step.done !== true; step = text.next()) {
        await out.add(step.value)
        if (rows.length >= LINES_A_PIECE) await csv.add(rows.splice(0).join(''))
      }
      await csv.add(rows.join(''))
      await csv.finish()
      await out.finish()
      await syncFolder(this.#folder)
      const { closing, lines, sha256 } = step.value
      const { businessDate, seq } = decision
      const made = { step: 'made', seq, name, businessDate, lines, sha256 } as const
      return { ...made, closing: String(closing), ...effect }
    } finally {
      await csv.abandon()
      await out.abandon()
    }
  }

  /** Puts a damaged copy in front of a file; the file itself stays as it is. */
  async damage(name: string, plant: Pick<Plant, 'kind' | 'nth'>, currency: string): Promise<void> {
    const lines = linesOf(join(this.#folder, name))
    const out = await Output.open(join(this.#folder, damagedName(name)))
    try {
      for await (const piece of damagedText(lines, plant, currency)) await out.add(piece)
      await out.finish()
      await syncFolder(this.#folder)
    } finally {
      await out.abandon()
    }
  }

  /** Removes the damaged copy or the mark, so that readers get the sound file. */
  async correct(name: string): Promise<void> {
    await rm(join(this.#folder, damagedName(name)), { force: true })
    await rm(join(this.#folder, keptName(name)), { force: true })
    await syncFolder(this.#folder)
  }

  /** Keeps a file back until it is corrected. */
  async keepBack(name: string): Promise<void> {
    await writeFile(join(this.#folder, keptName(name)), '', { mode: 0o600 })
    await syncFolder(this.#folder)
  }

  isKeptBack(name: string): Promise<boolean> {
    return exists(join(this.#folder, keptName(name)))
  }

  /** The path of a file as a reader is to get it: the damaged copy where there is one. */
  async pathOf(name: string): Promise<string> {
    const damaged = join(this.#folder, damagedName(name))
    return (await exists(damaged)) ? damaged : join(this.#folder, name)
  }
}

/** The name of the CSV with the rows of a file. */
export function csvName(name: string): string {
  return name.replace(/\.jsonl$/, '.csv')
}

/** Opens the file at the first line: a reader that is opened before loses lines. */
async function* linesOf(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path), crlfDelay: Infinity })
}

function damagedName(name: string): string {
  return `${name}.damaged`
}

function keptName(name: string): string {
  return `${name}.kept-back`
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function headOf(chain: Chain, decision: Decision): SettlementHead {
  const { businessDate, created, fileId, receiver, seq } = decision
  return {
    fileId,
    mode: 'test',
    sender: SENDER,
    receiver,
    account: chain.merchant,
    currency: chain.currency,
    seq,
    prevSha256: chain.sha256,
    businessDate,
    zone: ZONE,
    created: `${created.slice(0, 19)}Z`,
    valueDate: nextBankDay(businessDate),
    opening: BigInt(chain.closing),
  }
}

function fileName({ account, currency, sender, seq }: SettlementHead): string {
  const safe = encodeURIComponent(account)
  return `TGS-${sender}-${safe}-${codeOf(currency)}-${seq.toString().padStart(6, '0')}.jsonl`
}

/** A file that is complete before it has its name. */
class Output {
  readonly #path: string
  readonly #file: FileHandle
  #pieces: string[] = []
  #isOpen = true

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  static async open(path: string): Promise<Output> {
    return new Output(path, await open(`${path}.new`, 'w', 0o600))
  }

  async add(piece: string): Promise<void> {
    this.#pieces.push(piece)
    if (this.#pieces.length >= LINES_A_PIECE) await this.#flush()
  }

  async finish(): Promise<void> {
    await this.#flush()
    await this.#file.sync()
    await this.abandon()
    await rename(`${this.#path}.new`, this.#path)
  }

  /** Closes what is still open. */
  async abandon(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#file.close()
  }

  async #flush(): Promise<void> {
    await this.#file.appendFile(this.#pieces.splice(0).join(''))
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
