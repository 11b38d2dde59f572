import type pg from 'pg'
import { readCardTestingFile } from '../adapters/operator-files/card-testing-file.ts'
import {
  cardTestingTransact,
  createCardTestingReader,
} from '../adapters/postgres/card-testing/card-testing-admin.ts'
import type { Result } from '../base/refusal.ts'
import { replay, type ReplayResult } from '../domain/card-testing/card-testing-replay.ts'
import { DEFAULT_CARD_TESTING_RULES } from '../domain/card-testing/card-testing.ts'
import type { CardTestingSetting } from '../domain/card-testing/rules-change.ts'
import type { AuditAuthor } from '../usecases/audit/audit-log.ts'
import type { CardTestingView } from '../usecases/card-testing/card-testing-operator.ts'
import { createChangeCardTesting } from '../usecases/card-testing/change-rules.ts'

/** A file of rules to begin with. */
export function defaultCardTestingFile(): string {
  return `${JSON.stringify({ rules: DEFAULT_CARD_TESTING_RULES, exceptAddresses: [] }, null, 2)}\n`
}

/** A site's rules against card testing, and what they have hit. */
export interface CardTestingOperator {
  show(siteId: bigint): Promise<CardTestingView | null>
  put(siteId: bigint, text: string): Promise<Result<{ readonly revision: number }>>
  setMode(
    siteId: bigint,
    mode: CardTestingSetting,
  ): Promise<Result<{ readonly from: CardTestingSetting }>>
  /** The text's refusals, had its rules applied in the last days; reports its progress. */
  tryOut(
    siteId: bigint,
    text: string,
    days: number,
    onRead: (payments: number) => void,
  ): Promise<Result<{ readonly result: ReplayResult }>>
}

/** Every change is on record as `by`. */
export function createCardTestingOperator(pool: pg.Pool, by: AuditAuthor): CardTestingOperator {
  const cardTesting = createCardTestingReader(pool)
  const change = createChangeCardTesting(cardTestingTransact(pool))
  return {
    show: cardTesting.show,
    async put(siteId, text) {
      const read = readCardTestingFile(text)
      return read.ok ? change.put(siteId, read.draft, null, by) : read
    },
    setMode: (siteId, mode) => change.setMode(siteId, mode, null, by),
    async tryOut(siteId, text, days, onRead) {
      const read = readCardTestingFile(text)
      if (!read.ok) return read
      const { rules, exceptAddresses } = read.draft
      const replayed = replay(rules, exceptAddresses)
      for await (const page of cardTesting.readPastPayments(siteId, days)) {
        for (const payment of page) replayed.add(payment)
        onRead(replayed.result().payments)
      }
      return { ok: true, result: replayed.result() }
    },
  }
}
