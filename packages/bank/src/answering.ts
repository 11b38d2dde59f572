import type { IsoMessage, LinkSession } from '@tollgate/iso8583'
import type { Books } from './books/books.ts'

/** Returns the answer to one message; null for no answer. */
export type Answering = (message: IsoMessage, session: LinkSession) => Promise<IsoMessage | null>

/** Replaces the host with a wrapper of it. */
export type ChangeAnswering = (answer: Answering, books: Books) => Answering
