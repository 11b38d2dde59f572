import { CUSTOMER_MAILS, NOTICES, type MailView, type Result } from '@tollgate/gateway/operator'
import { WrongUsage } from './command.ts'
import { mailLines, siteLines, viewLines } from './mail-lines.ts'
import {
  readText,
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'

const SHOWN = 20

/** E-mail to customers and portal users. docs/operators/mail.md */
export const mail: OperatorCommand = {
  name: 'mail',
  summary: 'mail show|set|preview|log|... shows and changes receipts and notices by e-mail',
  forms: [
    {
      words: 'show <SITE_ID>',
      help: "shows the kinds of mail that a site's customers get, and the sender",
      async run({ word }, { env, print, complain }) {
        const siteId = BigInt(word('SITE_ID'))
        const shown = await withOperator(env, (operator) => operator.mail.show(siteId))
        if (shown === null) return missing(`Site ${siteId} does not exist.`, complain)
        for (const line of siteLines(siteId, shown)) print(line)
        return 0
      },
    },
    {
      words: 'set <SITE_ID>',
      options: [
        '[--kinds <kinds>]',
        '[--test-mail on|off]',
        '[--sender-name <name>]',
        '[--reply-to <address>]',
      ],
      help: 'switches kinds of mail on, and all others off; --kinds none for no mail',
      run({ option, word }, context) {
        const [kinds, tests] = [option('kinds'), option('test-mail')]
        const [senderName, replyTo] = [option('sender-name'), option('reply-to')]
        const changes = {
          ...(kinds === undefined ? {} : { kinds: kindsOf(kinds) }),
          ...(tests === undefined ? {} : { sendsTests: tests === 'on' }),
          ...(senderName === undefined ? {} : { senderName }),
          ...(replyTo === undefined ? {} : { replyTo }),
        }
        if (Object.keys(changes).length === 0) throw new WrongUsage('Nothing is to change.')
        const siteId = BigInt(word('SITE_ID'))
        return done(context, `The mail of site ${siteId} was changed.`, (operator) =>
          operator.mail.set(siteId, changes),
        )
      },
    },
    {
      words: 'template <SITE_ID> <kind>',
      options: ['[--subject <text>]', '[--text <file>]', '[--html <file>]', '[--built-in]'],
      help: "stores a site's own texts of a kind; without --html the HTML follows from the text",
      run({ has, option, word }, context) {
        const [subject, text, html] = [option('subject'), option('text'), option('html')]
        const isBuiltIn = has('built-in')
        if (!isBuiltIn && (subject === undefined || text === undefined)) {
          throw new WrongUsage('--subject and --text are needed, or --built-in alone.')
        }
        const template = {
          subject: subject ?? '',
          text: text === undefined ? '' : readText(text),
          html: html === undefined ? '' : readText(html),
        }
        const siteId = BigInt(word('SITE_ID'))
        const kind = word('kind')
        return done(context, `The texts of ${kind} were changed.`, (operator) =>
          operator.mail.setTemplate(siteId, kind, isBuiltIn ? null : template),
        )
      },
    },
    {
      words: 'preview <SITE_ID> <kind>',
      options: ['[--html]'],
      help: 'prints a mail with example values; --html: its HTML instead of its text',
      async run({ has, word }, { env, print, complain }) {
        const siteId = BigInt(word('SITE_ID'))
        const shown = await withOperator(env, (operator) =>
          operator.mail.preview(siteId, word('kind')),
        )
        if (!shown.ok) return refuse(shown.faults, complain)
        const { html, subject, text } = shown.mail
        for (const line of [`Subject: ${subject}`, '', has('html') ? html : text]) print(line)
        return 0
      },
    },
    {
      words: 'test <SITE_ID> <kind>',
      options: ['--to <address>'],
      help: 'queues a mail with example values',
      async run({ option, word }, { env, print, complain }) {
        const siteId = BigInt(word('SITE_ID'))
        const queued = await withOperator(env, (operator) =>
          operator.mail.test(siteId, word('kind'), option('to') ?? ''),
        )
        if (!queued.ok) return refuse(queued.faults, complain)
        print(`Mail ${queued.id} is queued. "tollgate mail read ${siteId} ${queued.id}" shows it.`)
        return 0
      },
    },
    {
      words: 'log <SITE_ID>',
      options: ['[--state waiting|sent|failed|caught]', '[--order <PO_ID>]'],
      help: `shows the newest ${SHOWN} mails to customers of a site`,
      async run({ option, word }, { env, print }) {
        const siteId = BigInt(word('SITE_ID'))
        const [state, order] = [option('state'), option('order')]
        if (order !== undefined && !/^\d{1,18}$/.test(order)) {
          throw new WrongUsage('--order must be a number, the PO_ID of an order.')
        }
        const filter = {
          state: (state ?? null) as MailView['state'] | null,
          orderId: order === undefined ? null : BigInt(order),
          limit: SHOWN,
        }
        const log = await withOperator(env, (operator) => operator.mail.readLog(siteId, filter))
        if (log.length === 0) print('There is no such mail.')
        for (const line of log.flatMap(viewLines)) print(line)
        return 0
      },
    },
    {
      words: 'read <SITE_ID> <MAIL_ID>',
      help: 'prints a mail with its content, also one that the sandbox caught',
      async run({ word }, { env, print, complain }) {
        const [siteId, id] = [BigInt(word('SITE_ID')), BigInt(word('MAIL_ID'))]
        const found = await withOperator(env, (operator) => operator.mail.readMail(siteId, id))
        if (found === null) return missing(`Mail ${id} of site ${siteId} does not exist.`, complain)
        for (const line of mailLines(found)) print(line)
        return 0
      },
    },
    {
      words: 'resend <SITE_ID> <MAIL_ID>',
      help: 'sends a mail again, also one that failed',
      run({ word }, context) {
        const [siteId, id] = [BigInt(word('SITE_ID')), BigInt(word('MAIL_ID'))]
        return done(context, `Mail ${id} is queued again.`, (operator) =>
          operator.mail.sendAgain(siteId, id),
        )
      },
    },
    {
      words: 'notices <e-mail>',
      options: ['[--kinds <kinds>]'],
      help: 'shows the notices that a portal user gets, or sets them; --kinds none for no notice',
      async run({ option, word }, context) {
        const [email, kinds] = [word('e-mail'), option('kinds')]
        if (kinds !== undefined) {
          return done(context, 'The notices were changed.', (operator) =>
            operator.mail.setNotices(email, kindsOf(kinds)),
          )
        }
        const set = await withOperator(context.env, (operator) => operator.mail.readNotices(email))
        if (set === null) return missing('There is no such portal user.', context.complain)
        context.print(`Notices: ${set.join(', ') || 'none'}.`)
        return 0
      },
    },
  ],
  notes: [
    `Kinds of mail: ${Object.keys(CUSTOMER_MAILS).join(', ')}.`,
    `Notices: ${Object.keys(NOTICES).join(', ')}.`,
  ].join('\n'),
}

type Operator = Parameters<Parameters<typeof withOperator>[1]>[0]

async function done(
  { complain, env, print }: OperatorContext,
  sentence: string,
  run: (operator: Operator) => Promise<Result>,
): Promise<number> {
  const changed = await withOperator(env, run)
  if (!changed.ok) return refuse(changed.faults, complain)
  print(sentence)
  return 0
}

function missing(sentence: string, complain: OperatorContext['complain']): number {
  complain(sentence)
  return 1
}

function kindsOf(text: string): readonly string[] {
  return text === 'none' ? [] : text.split(',').map((kind) => kind.trim())
}
