import type { JudgedMail, MailResult } from '../../domain/mail/judge-mail.ts'
import type { MailKindName } from '../../domain/mail/mail-kinds.ts'
import type { MailTemplate, RenderedMail } from '../../domain/mail/template.ts'
import type { PlacedFact } from '../events/event-store.ts'

/** Customers of a site, or a portal user, who get mails of some kinds. */
export interface Subscription {
  readonly merchantId: bigint
  readonly merchantName: string
  /** IANA. */
  readonly timeZone: string
  /** The address of the portal user; null for the customers of a site. */
  readonly user: { readonly id: bigint; readonly address: string } | null
  readonly kinds: readonly MailKindName[]
  /** Whether facts of test mode have mails. */
  readonly sendsTests: boolean
  /** '' for the name of the site. */
  readonly senderName: string
  readonly replyTo: string
  /** The names of the merchant's sites, by id. */
  readonly siteNames: ReadonlyMap<string, string>
  /** The site's own texts. */
  readonly templates: ReadonlyMap<MailKindName, MailTemplate>
}

/** A customer as a mail needs it; all texts are empty once it is erased. */
export interface MailCustomer {
  readonly address: string
  readonly firstName: string
  readonly lastName: string
}

/** A mail that is to be sent. */
export interface MailDraft extends RenderedMail {
  readonly kind: MailKindName
  readonly mode: 'test' | 'live'
  readonly siteId: string | null
  /** Null for a mail that tries a template. */
  readonly position: bigint | null
  readonly eventId: string
  readonly orderId: string | null
  readonly customerId: string | null
  readonly recipient: string
  readonly senderName: string
  readonly replyTo: string
}

/** The rules by which events become mails. They read nothing. */
export interface MailComposer {
  /** The customers that mails of these events go to. */
  customersOf(subscription: Subscription, events: readonly PlacedFact[]): readonly string[]
  /** @param customers by id; events of others have no mail */
  compose(
    subscription: Subscription,
    events: readonly PlacedFact[],
    customers: ReadonlyMap<string, MailCustomer>,
  ): readonly MailDraft[]
}

/** A mail that this process may send until its lease is over. */
export interface ClaimedMail extends RenderedMail {
  readonly id: bigint
  /** The number of the claim. */
  readonly claim: number
  /** Attempts of this round before this one. */
  readonly attempts: number
  readonly round: number
  /** '' for a mail that tries a template. */
  readonly eventId: string
  readonly recipient: string
  readonly senderName: string
  readonly replyTo: string
  readonly createdAt: Date
}

/** The queue of mails. Each statement leaves no lock behind. */
export interface MailQueue {
  /** Makes mails of the events that came since; true when there may be more right away. */
  fanOut(composer: MailComposer, now: Date): Promise<boolean>
  /** Due mails, the oldest first; leased to this process. */
  claim(now: Date, limit: number): Promise<readonly ClaimedMail[]>
  /** Writes a result, unless the lease was lost or the mail was erased. */
  record(mail: ClaimedMail, judged: JudgedMail, answer: string, now: Date): Promise<void>
}

/** Hands one mail to the mail server. Never throws. */
export type PostMail = (mail: ClaimedMail) => Promise<MailResult>
