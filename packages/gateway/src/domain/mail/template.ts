import { holdsCardSecret, maskText } from '../../base/card-masking.ts'
import { refused, type Refusal } from '../../base/refusal.ts'
import { MAIL_KINDS, type MailKindName } from './mail-kinds.ts'
import type { MailValues, PlaceholderName } from './placeholders.ts'

/** The texts of one kind of mail, with placeholders such as `{{amount}}`. */
export interface MailTemplate {
  readonly subject: string
  readonly text: string
  /** '' makes the HTML from the text. */
  readonly html: string
}

/** A mail's texts, as they are sent. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export const LONGEST_SUBJECT = 200
export const LONGEST_TEXT = 10_000
export const LONGEST_HTML = 50_000

/** Any name in double braces. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const LONE_BRACES = /\{\{|\}\}/
/** A control character would end a header. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu
/** Lines of a body may break. */
const BODY_CONTROL = /(?![\t\n\r])\p{Cc}/u

/** Whether two texts are the same; null stands for the built-in ones. */
export function isSameTemplate(left: MailTemplate | null, right: MailTemplate | null): boolean {
  if (left === null || right === null) return left === right
  return left.subject === right.subject && left.text === right.text && left.html === right.html
}

/** Why these texts cannot be stored for a kind of mail; null for none. */
export function templateRefusal(kind: MailKindName, template: MailTemplate): Refusal | null {
  const { html, subject, text } = template
  const parts = [
    ['subject', subject, 1, LONGEST_SUBJECT],
    ['text', text, 1, LONGEST_TEXT],
    ['html', html, 0, LONGEST_HTML],
  ] as const
  for (const [field, value, least, most] of parts) {
    const fault = partFault(kind, field, value, least, most)
    if (fault !== null) return refused('invalid', fault, { field })
  }
  return null
}

function partFault(
  kind: MailKindName,
  field: string,
  value: string,
  least: number,
  most: number,
): string | null {
  if (value.trim().length < least) return `The ${field} is empty.`
  if (value.length > most) return `The ${field} has ${value.length} characters; at most ${most}.`
  const hasControl = field === 'subject' ? value.search(CONTROL) !== -1 : BODY_CONTROL.test(value)
  if (hasControl)
    return `The ${field} has a line break or a control character that it may not have.`
  if (holdsCardSecret(value)) return `The ${field} has a card number in it.`
  const allowed: readonly string[] = MAIL_KINDS[kind].placeholders
  for (const [whole, name = ''] of value.matchAll(PLACEHOLDER)) {
    if (allowed.includes(name)) continue
    const names = allowed.map((one) => `{{${one}}}`).join(', ')
    return `${maskText(whole)} in the ${field} is no placeholder of this mail. There are: ${names}.`
  }
  if (LONE_BRACES.test(value.replace(PLACEHOLDER, ''))) {
    return `The ${field} has {{ or }} without its counterpart.`
  }
  return null
}

/** Fills the placeholders. Values are masked, escaped in HTML, and on one line in the subject. */
export function renderMail(template: MailTemplate, values: MailValues): RenderedMail {
  const { subject, text } = template
  const html = template.html === '' ? htmlOfText(text) : template.html
  return {
    subject: oneLine(fill(subject, values, oneLine)),
    text: fill(text, values, (value) => value),
    html: fill(html, values, escapeHtml),
  }
}

function fill(text: string, values: MailValues, write: (value: string) => string): string {
  return text.replace(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name as PlaceholderName] : ''
    return write(maskText(value ?? ''))
  })
}

/** A text for a header: without line breaks and control characters. */
export function oneLine(text: string): string {
  return text.replace(CONTROL, ' ').trim()
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text within HTML, also within an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** A page of a text: empty lines part paragraphs. Placeholders stay as they are. */
export function htmlOfText(text: string): string {
  const paragraphs = text
    .trim()
    .split(/\n\s*\n/)
    .map((part) => `<p>${escapeHtml(part).replaceAll('\n', '<br>\n')}</p>`)
  return `<!doctype html>\n<html><body>\n${paragraphs.join('\n')}\n</body></html>\n`
}

/** The mark of a mail about a payment that moved no funds. */
const TEST_MARK = '[TEST] '

/** The subject, marked where the mail is about test mode. */
export function markedSubject(subject: string, mode: 'test' | 'live'): string {
  return mode === 'test' ? `${TEST_MARK}${subject}` : subject
}
