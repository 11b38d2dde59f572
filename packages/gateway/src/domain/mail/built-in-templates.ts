import type { MailKindName } from './mail-kinds.ts'
import type { MailTemplate } from './template.ts'

/** A mail whose HTML follows from its text. */
function plain(subject: string, lines: readonly string[]): MailTemplate {
  return { subject, text: `${lines.join('\n')}\n`, html: '' }
}

const PAYMENT = [
  'Order: {{order}}',
  'Card: {{card_brand}} ending in {{card_last4}}',
  'Date: {{date}}',
  '',
  '{{site}}',
]

/** The texts of a site that has none of its own, and of every notice. */
export const BUILT_IN_TEMPLATES: Readonly<Record<MailKindName, MailTemplate>> = {
  receipt: plain('Receipt of your payment to {{site}}', [
    'Hello {{first_name}} {{last_name}},',
    '',
    'we received your payment of {{amount}} {{currency}}. Thank you.',
    '',
    ...PAYMENT,
  ]),
  renewal_receipt: plain('Receipt of your renewal at {{site}}', [
    'Hello {{first_name}} {{last_name}},',
    '',
    'your membership {{membership}} was renewed. We charged {{amount}} {{currency}}.',
    '',
    ...PAYMENT,
  ]),
  refund_receipt: plain('Your refund from {{site}}', [
    'Hello {{first_name}} {{last_name}},',
    '',
    'we refunded {{amount}} {{currency}} to your card. Your bank may need some days to show it.',
    '',
    ...PAYMENT,
  ]),
  renewal_failed: plain('Your renewal at {{site}} was not paid', [
    'Hello {{first_name}} {{last_name}},',
    '',
    'we could not charge {{amount}} {{currency}} for your membership {{membership}}.',
    'Next attempt: {{next_attempt}}',
    '',
    'Please check that your card is valid, or contact us.',
    '',
    '{{site}}',
  ]),
  dispute_opened: plain('Dispute {{case}} of {{amount}} {{currency}}', [
    '{{merchant}}: the acquirer gave notice of a dispute.',
    '',
    'Dispute: {{dispute}}, case {{case}}',
    'Amount: {{amount}} {{currency}}',
    'Order: {{order}}',
    'Answer by: {{deadline}}',
  ]),
  payout_deposited: plain('Payout of {{amount}} {{currency}} received', [
    '{{merchant}}: a bank statement has the deposit of a payout.',
    '',
    'Payout: {{payout}}, reference {{reference}}',
    'Amount: {{amount}} {{currency}}',
  ]),
  payment_rejected: plain('The bank rejected an amount of order {{order}}', [
    '{{merchant}}: the bank rejected a capture or a refund.',
    '',
    'Order: {{order}} ({{order_id}})',
    'Amount: {{amount}} {{currency}}',
  ]),
  settlement_difference: plain('Settlement difference {{difference}}', [
    '{{merchant}}: the settlement shows a difference.',
    '',
    'Difference: {{difference}}',
    'Code: {{code}}',
  ]),
  endpoint_stopped: plain('A webhook endpoint of {{site}} stopped', [
    '{{merchant}}: the gateway stopped sending events to an endpoint.',
    '',
    'Endpoint: {{endpoint}}',
    'Reason: {{reason}}',
  ]),
}
