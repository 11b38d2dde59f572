import { HOUSE_PROFILE, compileProfile, encodeOriginalData, messageKey } from '@tollgate/iso8583'
import { encodePrivateData, encodeReplacementAmount } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Host } from '../../src/acquirer/host.ts'
import { openBooks } from '../../src/books/open-books.ts'
import type { OpenBooks } from '../../src/books/open-books.ts'
import { openCardFile } from '../../src/issuer/card-file.ts'

/** Noon, so that no test passes midnight by itself. */
export const NOON = Date.UTC(2026, 2, 14, 12)

export const GOOD_VISA = '4111111111111111'

const codec = compileProfile(HOUSE_PROFILE)
let lastStan = 0

/** Closes to run before a folder is removed; hooks run in the order of their registration. */
const toClose = new Map<string, (() => Promise<void>)[]>()

/** A folder of this test's own. */
export async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bank-'))
  toClose.set(folder, [])
  t.after(async () => {
    for (const close of toClose.get(folder) ?? []) await close()
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** Closes something that uses a folder of `aFolder` before the folder goes away. */
export function closeWith(folder: string, close: () => Promise<void>): void {
  toClose.get(folder)?.push(close)
}

export interface TestBank {
  readonly store: OpenBooks
  readonly warnings: string[]
  /** The failures of the journal. The books are left as they are then. */
  readonly failures: unknown[]
  /** Milliseconds since 1970; may be moved. */
  nowMs: number
  /** Sends through the codec, as the link would, and gives the answer. */
  send(message: IsoMessage): Promise<IsoMessage>
  close(): Promise<void>
}

/** A bank without its link. Its books are checked for contradictions when it closes. */
export async function aBank(
  t: TestContext,
  folder?: string,
  { triggers = true }: { readonly triggers?: boolean } = {},
): Promise<TestBank> {
  const home = folder ?? (await aFolder(t))
  const warnings: string[] = []
  const clock = { nowMs: NOON }
  const now = () => clock.nowMs
  const warn = (sentence: string) => warnings.push(sentence)
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const store = await openBooks({ folder: home, now, warn, onFailure })
  const { accountIds, books, journal } = store
  const host = new Host({ books, journal, findCard: openCardFile(accountIds), now, triggers })
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    if (failures.length === 0) assert.deepEqual(books.findContradictions(), [])
    if (failures.length > 0) await store.abandon()
    else await store.close()
  }
  closeWith(home, close)
  return {
    store,
    warnings,
    failures,
    get nowMs() {
      return clock.nowMs
    },
    set nowMs(value) {
      clock.nowMs = value
    },
    async send(message) {
      const answer = await host.answer(codec.decode(codec.encode(message)))
      assert.ok(answer, 'the message has no answer')
      return codec.decode(codec.encode(answer))
    },
    close,
  }
}

export interface Ask {
  readonly pan?: string
  readonly minor?: bigint
  readonly currency?: string
  readonly tags?: Readonly<Record<string, string>>
  /** DE 123; null for none. */
  readonly address?: string | null
  readonly expiry?: string
  readonly merchant?: string
}

function header(): Record<number, string> {
  lastStan += 1
  return {
    7: '0314120000',
    11: String(lastStan).padStart(6, '0'),
    32: '400001',
    37: String(lastStan).padStart(12, 'R'),
    41: 'TERM0001',
    42: 'MERCHANT0001',
  }
}

function amount(minor: bigint): string {
  return minor.toString().padStart(12, '0')
}

/** A 0100 of 10.00 USD by a customer at the test cards' address, with the right code. */
export function anAuthorization(ask: Ask = {}): IsoMessage {
  const { address = '12345----123 MAIN ST', currency = '840', expiry = '4912' } = ask
  const { merchant, minor = 1000n, pan = GOOD_VISA } = ask
  const tags = { CP: '1', CV: pan.length === 15 ? '1234' : '123', EC: '07', ...ask.tags }
  return {
    mti: '0100',
    fields: {
      ...header(),
      2: pan,
      3: '000000',
      4: amount(minor),
      14: expiry,
      49: currency,
      48: encodePrivateData(tags),
      ...(address === null ? {} : { 123: address }),
      ...(merchant === undefined ? {} : { 42: merchant }),
    },
  }
}

/** A 0100 that only asks whether the card is good. */
export function aCardCheck(ask: Ask = {}): IsoMessage {
  const message = anAuthorization({ ...ask, minor: 0n })
  return { ...message, fields: { ...message.fields, 3: '330000' } }
}

/** An advice about `original`, from its terminal. */
function anAdvice(
  mti: string,
  original: IsoMessage,
  fields: Readonly<Record<number, string>>,
): IsoMessage {
  const named = original.fields
  const data = {
    mti: original.mti,
    stan: named[11] ?? '',
    transmissionTime: named[7] ?? '',
    acquirerId: named[32] ?? '',
  }
  return {
    mti,
    fields: {
      ...header(),
      3: named[3] ?? '',
      4: named[4] ?? '',
      41: named[41] ?? '',
      49: named[49] ?? '',
      90: encodeOriginalData(data),
      ...fields,
    },
  }
}

export function aCapture(original: IsoMessage, minor: bigint): IsoMessage {
  return anAdvice('0220', original, { 3: '000000', 4: amount(minor), 48: 'SQ00201' })
}

export function aRefund(original: IsoMessage, minor: bigint): IsoMessage {
  const pan = original.fields[2] ?? ''
  return anAdvice('0220', original, { 2: pan, 3: '200000', 4: amount(minor), 48: 'SQ00202' })
}

export function aReversal(original: IsoMessage): IsoMessage {
  return anAdvice('0420', original, { 48: 'RR002VD' })
}

export function aPartialReversal(original: IsoMessage, remains: bigint): IsoMessage {
  return anAdvice('0420', original, { 48: 'RR002VD', 95: encodeReplacementAmount(remains) })
}

/** A 0200 credit to a card. */
export function aCredit(ask: Ask = {}): IsoMessage {
  const { 48: _tags, 123: _address, ...fields } = anAuthorization(ask).fields
  return { mti: '0200', fields: { ...fields, 3: '200000' } }
}

/** The same message as the gateway sends it again. */
export function repeated(message: IsoMessage): IsoMessage {
  return { mti: `${message.mti.slice(0, 3)}1`, fields: { ...message.fields } }
}

/** The balances of an account, in minor units; zeros for one that the books do not know. */
export function moneyOf({ store }: TestBank, pan: string, currency = '840') {
  const balance = store.books.findBalance(store.accountIds.idOf(pan), currency)
  const { available = 0n, held = 0n, ledger = 0n } = balance ?? {}
  return { available, held, ledger }
}

export { messageKey }
