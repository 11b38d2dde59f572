import type { FastifyRequest } from 'fastify'
import type { FormCharset } from './form.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** The charset of a form; null for any other content, and for charsets that aren't read. */
export function charsetOf(request: FastifyRequest): FormCharset | null {
  const header = request.headers['content-type']
  // Nearly every client sends exactly this.
  if (header === undefined || header === FORM_TYPE) return 'utf-8'
  const [type = '', ...attributes] = header.toLowerCase().split(';')
  if (type.trim() !== FORM_TYPE && type.trim() !== '') return null
  for (const attribute of attributes) {
    const [name = '', value = ''] = attribute.split('=')
    if (name.trim() === 'charset') return CHARSETS.get(value.trim().replace(/^"|"$/g, '')) ?? null
  }
  return 'utf-8'
}

/** Whether the content type names a charset, so that nothing has to be assumed. */
export function namesCharset({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().includes('charset') ?? false
}

const CHARSETS: ReadonlyMap<string, FormCharset> = new Map([
  ['', 'utf-8'],
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['iso-8859-1', 'iso-8859-1'],
  ['iso8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
])
