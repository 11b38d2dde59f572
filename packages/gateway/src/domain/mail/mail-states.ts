import { defineStates } from '../states.ts'

/** The states of a mail. */
export const MAIL_STATES = defineStates({
  waiting: {
    meaning: 'The mail is to be sent, now or after a pause.',
    start: 'An event concerns someone who gets mails of its kind, or a user tries a template.',
    next: {
      sent: 'The mail server accepted it.',
      failed: 'The mail server refused it for good, or the last attempt failed.',
      caught: 'The sandbox has no mail server, and shows the mail instead.',
    },
  },
  sent: {
    meaning: 'The mail server has the mail.',
    start: null,
    next: { waiting: 'A user sends it again.' },
  },
  failed: {
    meaning: 'The mail was refused, or 12 attempts within three days failed.',
    start: null,
    next: { waiting: 'A user sends it again.' },
  },
  caught: {
    meaning: 'The mail is in the mailbox of the sandbox.',
    start: null,
    next: { waiting: 'A user sends it again.' },
  },
})
