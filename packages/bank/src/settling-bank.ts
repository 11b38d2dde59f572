import type { OpenBooks } from './books/open-books.ts'
import { Settlement } from './settlement/settlement.ts'
import { StartupError, reasonOf } from './startup-error.ts'

/** How often the bank looks whether a day has ended. */
const LOOK_EVERY_MS = 60_000

export interface SettlingBank {
  readonly settlement: Settlement
  /** Makes no further files, and waits for the one that is being made. */
  stop(): Promise<void>
}

/**
 * Opens the settlement files and makes those of ended days from then on. Throws StartupError when
 * they cannot be opened.
 */
export async function startSettling(
  { books, journal }: Pick<OpenBooks, 'books' | 'journal'>,
  {
    folder,
    now,
    warn,
  }: {
    readonly folder: string
    readonly now: () => number
    readonly warn: (sentence: string) => void
  },
): Promise<SettlingBank> {
  let settlement: Settlement
  try {
    settlement = await Settlement.open({
      books,
      folder,
      now,
      book: (draft) => {
        books.apply(draft, journal.end.offset)
        return journal.append(draft)
      },
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
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  timer.unref()
  return {
    settlement,
    stop: async () => {
      clearInterval(timer)
      await settlement.stop()
    },
  }
}
