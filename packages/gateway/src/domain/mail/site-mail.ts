import { holdsCardSecret, maskText } from '../../base/card-masking.ts'
import { refused, type Refusal } from '../../base/refusal.ts'
import { isMailAddress } from './mail-address.ts'
import {
  CUSTOMER_MAIL_NAMES,
  isCustomerMail,
  isNotice,
  NOTICE_NAMES,
  type CustomerMailName,
} from './mail-kinds.ts'
import { oneLine } from './template.ts'

/** A site's choices for mails to its customers. */
export interface SiteMail {
  /** The kinds that are sent; empty for none. */
  readonly kinds: readonly CustomerMailName[]
  /** Whether payments of test mode have mails too. */
  readonly sendsTests: boolean
  /** The name before the operator's address; '' for the site's name. */
  readonly senderName: string
  /** '' for none. */
  readonly replyTo: string
}

export const NO_MAIL: SiteMail = { kinds: [], sendsTests: false, senderName: '', replyTo: '' }

const LONGEST_NAME = 100

/** The choices as someone typed them. */
export type SiteMailDraft = Omit<SiteMail, 'kinds'> & { readonly kinds: readonly string[] }

/** Whether two choices are the same; the sequence of kinds does not count. */
export function isSameMail(left: SiteMailDraft, right: SiteMailDraft): boolean {
  return (
    new Set(left.kinds).symmetricDifference(new Set(right.kinds)).size === 0 &&
    left.sendsTests === right.sendsTests &&
    left.senderName === right.senderName &&
    left.replyTo === right.replyTo
  )
}

/** Why a site's choices cannot be stored so; null for none. */
export function siteMailRefusal({ kinds, replyTo, senderName }: SiteMailDraft): Refusal | null {
  const unknown = kinds.find((kind) => !isCustomerMail(kind))
  if (unknown !== undefined) return unknownKind(unknown, CUSTOMER_MAIL_NAMES)
  if (senderName.length > LONGEST_NAME || oneLine(senderName) !== senderName) {
    const fault = `The sender's name may have ${LONGEST_NAME} characters and no line break.`
    return refused('invalid', fault, { field: 'senderName' })
  }
  if (holdsCardSecret(senderName)) {
    return refused('invalid', "The sender's name has a card number in it.", { field: 'senderName' })
  }
  if (replyTo === '' || isMailAddress(replyTo)) return null
  return notAnAddress(replyTo, 'replyTo')
}

/** Why a portal user's choice of notices cannot be stored so; null for none. */
export function noticesRefusal(kinds: readonly string[]): Refusal | null {
  const unknown = kinds.find((kind) => !isNotice(kind))
  return unknown === undefined ? null : unknownKind(unknown, NOTICE_NAMES)
}

export function unknownKind(kind: string, known: readonly string[]): Refusal {
  const fault = `${maskText(kind)} is no kind of mail here. There are: ${known.join(', ')}.`
  return refused('invalid', fault, { field: 'kinds' })
}

export function notAnAddress(text: string, field: string): Refusal {
  return refused('invalid', `${maskText(text)} is not one e-mail address.`, { field })
}
