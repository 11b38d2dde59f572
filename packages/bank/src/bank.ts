import { HOUSE_PROFILE, compileProfile, createLinkServer } from '@tollgate/iso8583'
import type { Books } from './books.ts'
import type { ChangeAnswering } from './broken-rules.ts'
import { openCardFile } from './card-file.ts'
import { Host } from './host.ts'
import { openBooks } from './open-books.ts'
import { StartupError, reasonOf } from './startup-error.ts'

export interface BankOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Where the books are; made when it is missing. */
  readonly folder: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Takes whole sentences for the operator; none has card data in it. */
  readonly warn: (sentence: string) => void
  /**
   * Called once when the bank can't keep its books any more. It answers nothing from then on, and
   * the process should end: what was not answered is taken back by the gateway.
   */
  readonly onFatal: (error: unknown) => void
  /** For the torture run, which breaks a rule to see that it is missed. */
  readonly changeAnswering?: ChangeAnswering
}

export interface Bank {
  readonly port: number
  readonly books: Books
  /** Takes nothing new, answers what is open, saves the books and lets go of the folder. */
  stop(): Promise<void>
}

/** Opens the books and listens for the gateway. Throws StartupError when either is not possible. */
export async function startBank(options: BankOptions): Promise<Bank> {
  const { folder, host, now, warn, changeAnswering = (answering) => answering } = options
  let failed = false
  const fail = (error: unknown) => {
    if (failed) return
    failed = true
    options.onFatal(error)
  }
  const store = await openBooks({ folder, now, warn, onFailure: fail })
  const { accountIds, books, journal } = store
  const findCard = openCardFile(accountIds)
  const acquirer = new Host({ books, journal, findCard, now })
  const answer = changeAnswering((message) => acquirer.answer(message), books)
  const server = createLinkServer({
    host,
    port: options.port,
    codec: compileProfile(HOUSE_PROFILE),
    onMessage: (message) => (failed ? null : answer(message)),
    onHandlerError: fail,
    onBadFrame: (error) => warn(`A link sent what is no message and was closed. ${error.message}`),
  })
  try {
    const { port } = await server.listen()
    return {
      port,
      books,
      stop: async () => {
        await server.close()
        // After a failure memory and disk differ, and only the disk is right.
        if (failed) await store.abandon()
        else await store.close()
      },
    }
  } catch (error) {
    await store.close()
    const place = `${host} port ${options.port}`
    throw new StartupError(`The bank can not listen on ${place}: ${listenFault(error)}`, {
      cause: error,
    })
  }
}

function listenFault(error: unknown): string {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return isTaken
    ? 'something else uses it. Stop that, or choose another BANK_PORT.'
    : `${reasonOf(error)}. Choose another BANK_HOST or BANK_PORT.`
}
