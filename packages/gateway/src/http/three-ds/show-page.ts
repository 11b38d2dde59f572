import type { FastifyReply } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { PageName, WritePage } from './page-files.ts'
import { pageHeaders, type PageReach } from './page-headers.ts'

/** The content of one page for a browser. */
export interface ShownPage {
  readonly name: PageName
  readonly reach: PageReach
  readonly values: Readonly<Record<string, string>>
  /** The values for the page's script. */
  readonly data: Readonly<Record<string, unknown>>
}

const NONCE_BYTES = 16

/** Answers with a page of the inventory, under a nonce of its own. */
export function showPage(
  reply: FastifyReply,
  write: WritePage,
  { data, name, reach, values }: ShownPage,
): FastifyReply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64')
  return reply
    .headers(pageHeaders(nonce, reach))
    .type('text/html; charset=utf-8')
    .send(write(name, nonce, values, data))
}

/** Answers with a status and the page that states what the customer cannot do. */
export function showNotice(
  reply: FastifyReply,
  write: WritePage,
  status: number,
  { text, title }: { readonly title: string; readonly text: string },
): FastifyReply {
  return showPage(reply.code(status), write, {
    name: 'notice',
    reach: {},
    values: { title, text },
    data: {},
  })
}
