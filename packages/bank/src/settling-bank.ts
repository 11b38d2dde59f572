import type { RecordDraft } from './books/journal-record.ts'
import type { OpenBooks } from './books/open-books.ts'
import { DisputeDesk } from './disputes/dispute-desk.ts'
import { NO_DISPUTES, openDisputeRows } from './disputes/dispute-rows.ts'
import { Settlement } from './settlement/settlement.ts'
import { StartupError, reasonOf } from './startup-error.ts'

/** How often the bank looks whether a day has ended. */
const LOOK_EVERY_MS = 60_000

export interface SettlingBank {
  readonly settlement: Settlement
  readonly disputes: DisputeDesk
  /** Makes no further files, and waits for the one that is being made. */
  stop(): Promise<void>
}

/**
 * Opens the settlement files and makes those of ended days from then on. Throws StartupError when
 * they cannot be opened.
 */
export async function startSettling(
  { accountIds, books, journal }: Pick<OpenBooks, 'accountIds' | 'books' | 'journal'>,
  {
    folder,
    makesDueFiles = true,
    now,
    triggers,
    warn,
  }: {
    readonly folder: string
    readonly makesDueFiles?: boolean
    readonly now: () => number
    /** Whether published amounts and cards are disputed. */
    readonly triggers: boolean
    readonly warn: (sentence: string) => void
  },
): Promise<SettlingBank> {
  const book = (draft: RecordDraft) => {
    books.apply(draft, journal.end.offset)
    return journal.append(draft)
  }
  const disputes = new DisputeDesk({ books, book, now })
  let settlement: Settlement
  try {
    settlement = await Settlement.open({
      books,
      folder,
      now,
      book,
      disputeOf: triggers ? openDisputeRows(accountIds) : NO_DISPUTES,
      afterFiles: () => disputes.takeDue(),
    })
  } catch (error) {
    const where = `The bank cannot open its settlement files in ${folder}`
    throw new StartupError(`${where}: ${reasonOf(error)}`, { cause: error })
  }
  const look = () =>
    settlement
      .makeDue()
      .catch((error: unknown) =>
        warn(`The settlement files of a day could not be made: ${reasonOf(error)}.`),
      )
  const timer = makesDueFiles ? setInterval(() => void look(), LOOK_EVERY_MS) : undefined
  timer?.unref()
  return {
    settlement,
    disputes,
    stop: async () => {
      clearInterval(timer)
      await settlement.stop()
    },
  }
}
