import type { IsoMessage, LinkSession } from '@tollgate/iso8583'
import type { Books } from './books/books.ts'

/** Gives the answer to one message; null where nothing is answered. */
export type Answering = (message: IsoMessage, session: LinkSession) => Promise<IsoMessage | null>

/** Puts something in front of the host. */
export type ChangeAnswering = (answer: Answering, books: Books) => Answering
