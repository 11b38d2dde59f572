import { BUILT_IN_TEMPLATES } from '../../domain/mail/built-in-templates.ts'
import { OLDEST_EVENT_MS } from '../../domain/mail/judge-mail.ts'
import { isMailAddress } from '../../domain/mail/mail-address.ts'
import { isCustomerMail, type MailKindName } from '../../domain/mail/mail-kinds.ts'
import { PLACEHOLDERS, type MailValues } from '../../domain/mail/placeholders.ts'
import {
  markedSubject,
  oneLine,
  renderMail,
  type MailTemplate,
  type RenderedMail,
} from '../../domain/mail/template.ts'
import type { PlacedFact } from '../events/event-store.ts'
import { mailOfFact, type FactOfMail } from './mail-of-fact.ts'
import type { MailComposer, MailCustomer, MailDraft, Subscription } from './mail-ports.ts'

/** @param now events that are much older have no mail */
export function createMailComposer(now: Date): MailComposer {
  const wanted = (subscription: Subscription, event: PlacedFact): FactOfMail | null => {
    if (now.getTime() - event.recordedAt.getTime() > OLDEST_EVENT_MS) return null
    const fact = mailOfFact(event.fact)
    if (fact === null || !subscription.kinds.includes(fact.kind)) return null
    if (fact.mode === 'test' && !subscription.sendsTests) return null
    return isCustomerMail(fact.kind) === (subscription.user === null) ? fact : null
  }
  return {
    customersOf: (subscription, events) =>
      events.flatMap((event) => wanted(subscription, event)?.customerId ?? []),
    compose: (subscription, events, customers) =>
      events.flatMap((event) => {
        const fact = wanted(subscription, event)
        return fact === null ? [] : (draftOf(subscription, event, fact, customers) ?? [])
      }),
  }
}

function draftOf(
  subscription: Subscription,
  event: PlacedFact,
  fact: FactOfMail,
  customers: ReadonlyMap<string, MailCustomer>,
): MailDraft | null {
  const customer = fact.customerId === null ? null : (customers.get(fact.customerId) ?? null)
  const recipient = subscription.user?.address ?? customer?.address ?? ''
  if (!isMailAddress(recipient)) return null
  const site = subscription.siteNames.get(fact.siteId ?? '') ?? subscription.merchantName
  const values: MailValues = {
    ...fact.values,
    ...momentsOf(fact, subscription.timeZone),
    merchant: subscription.merchantName,
    site,
    first_name: customer?.firstName ?? '',
    last_name: customer?.lastName ?? '',
  }
  const template = subscription.templates.get(fact.kind) ?? BUILT_IN_TEMPLATES[fact.kind]
  const { html, subject, text } = renderMail(template, values)
  return {
    subject: markedSubject(subject, fact.mode),
    text,
    html,
    kind: fact.kind,
    mode: fact.mode,
    siteId: fact.siteId,
    position: event.position,
    eventId: event.id,
    orderId: fact.orderId,
    customerId: fact.customerId,
    recipient,
    senderName: oneLine(subscription.senderName || site),
    replyTo: subscription.replyTo,
  }
}

function momentsOf({ at, moments }: FactOfMail, timeZone: string): MailValues {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  const shown = Object.entries({ ...moments, date: at.toISOString() }).map(([name, moment]) => [
    name,
    moment === '' ? '' : format.format(new Date(moment)),
  ])
  return Object.fromEntries(shown) as MailValues
}

/** A mail with example values, as a preview shows it. */
export function previewMail(
  kind: MailKindName,
  template: MailTemplate | null,
  names: { readonly merchant: string; readonly site: string; readonly mode: 'test' | 'live' },
): RenderedMail {
  const { merchant, mode, site } = names
  const values = { ...PLACEHOLDERS, merchant, site }
  const rendered = renderMail(template ?? BUILT_IN_TEMPLATES[kind], values)
  return { ...rendered, subject: markedSubject(rendered.subject, mode) }
}
