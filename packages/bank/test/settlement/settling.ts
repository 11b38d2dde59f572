import { decodePrivateData, encodePrivateData, encodeTotals } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import type { RecordDraft } from '../../src/books/journal-record.ts'
import { DisputeDesk } from '../../src/disputes/dispute-desk.ts'
import { openDisputeRows } from '../../src/disputes/dispute-rows.ts'
import { Settlement } from '../../src/settlement/settlement.ts'
import type { ListedFile } from '../../src/settlement/settlement.ts'
import { aBank, aCapture, aFolder, aRefund, anAuthorization } from '../support/test-bank.ts'
import type { Ask, TestBank } from '../support/test-bank.ts'
import { schemaFaults } from './settlement-schema.ts'

/** DE 42 of the test bank's messages. */
export const MERCHANT = 'MERCHANT0001'

export type Members = Readonly<Record<string, unknown>>

/** A file as its JSON has it. */
export interface ReadFile {
  readonly text: string
  readonly head: Members
  readonly lines: readonly Members[]
  readonly trailer: Members
}

export interface SettlingTestBank {
  readonly bank: TestBank
  readonly settlement: Settlement
  readonly desk: DisputeDesk
  /** Sells, and names batch and brand in the capture; resolves with the 0100. */
  sell(minor: bigint, ask?: Ask & { batch?: string; brand?: string }): Promise<IsoMessage>
  refund(order: IsoMessage, minor: bigint, batch?: string): Promise<void>
  close(batch?: string, currency?: string): Promise<void>
  /** Makes one file of the merchant, which must match the published schema. */
  make(businessDate?: string): Promise<ReadFile>
  read(file: ListedFile): Promise<ReadFile>
}

let closes = 900_000

/** A bank without its link, with its settlement files. */
export async function aSettlingBank(t: TestContext, home?: string): Promise<SettlingTestBank> {
  const folder = home ?? (await aFolder(t))
  const bank = await aBank(t, folder)
  const { books, journal } = bank.store
  const book = (draft: RecordDraft) => {
    books.apply(draft, journal.end.offset)
    return journal.append(draft)
  }
  const now = () => bank.nowMs
  const desk = new DisputeDesk({ books, book, now })
  const settlement = await Settlement.open({
    books,
    folder,
    book,
    now,
    disputeOf: openDisputeRows(bank.store.accountIds),
    afterFiles: () => desk.takeDue(),
  })
  const approved = async (message: IsoMessage) => {
    assert.equal((await bank.send(message)).fields[39], '00')
  }
  const read = async ({ name }: ListedFile) => {
    const path = await settlement.pathOf(name)
    return parsed(await readFile(path ?? '', 'utf8'))
  }
  return {
    bank,
    settlement,
    desk,
    read,
    async sell(minor, { batch = '501', brand = 'VISA', ...ask } = {}) {
      const order = anAuthorization({ ...ask, minor })
      await approved(order)
      await approved(inBatch(aCapture(order, minor), batch, brand))
      return order
    },
    refund: (order, minor, batch = '501') =>
      approved(inBatch(aRefund(order, minor), batch, 'VISA')),
    async close(batch = '501', currency = '840') {
      closes += 1
      const header = { 7: '0314120000', 11: String(closes), 32: '400001', 41: 'TERM0001' }
      const fields = { ...header, 42: MERCHANT, 48: encodePrivateData({ BN: batch }), 50: currency }
      const { fields: totals } = encodeTotals([])
      const answer = await bank.send({ mti: '0500', fields: { ...fields, ...totals } })
      assert.match(answer.fields[39] ?? '', /^(00|95)$/)
    },
    async make(businessDate) {
      const [file, ...others] = await settlement.makeNow(MERCHANT, null, businessDate ?? null)
      assert.ok(file && others.length === 0, 'one file was to be made')
      const made = await read(file)
      assert.deepEqual(schemaFaults(made.text), [])
      return made
    },
  }
}

/** The message as one of a batch, with a card of the brand. */
function inBatch(message: IsoMessage, batch: string, brand: string): IsoMessage {
  if (batch === '') return message
  const tags = decodePrivateData(message.fields[48] ?? '')
  const data = encodePrivateData({ ...tags, BN: batch, BR: brand })
  return { ...message, fields: { ...message.fields, 48: data } }
}

export function parsed(text: string): ReadFile {
  const all = text.trimEnd().split('\n').map(membersOf)
  const [head = {}] = all
  return { text, head, lines: all.slice(1, -1), trailer: all.at(-1) ?? {} }
}

/** Nothing of a line that was cut off. */
function membersOf(line: string): Members {
  try {
    return JSON.parse(line) as Members
  } catch {
    return {}
  }
}

/** Each line as kind, gross and net. */
export function shown({ lines }: ReadFile): string[] {
  return lines.map(({ kind, gross, net }) => `${String(kind)} ${String(gross)} ${String(net)}`)
}
