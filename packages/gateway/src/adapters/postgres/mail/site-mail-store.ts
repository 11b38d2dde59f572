import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { CustomerMailName, NoticeName } from '../../../domain/mail/mail-kinds.ts'
import { NO_MAIL, type SiteMail } from '../../../domain/mail/site-mail.ts'
import type { MailTemplate } from '../../../domain/mail/template.ts'
import type {
  MailNames,
  NoticesTx,
  SiteMailStore,
  SiteMailTx,
} from '../../../usecases/mail/site-mail-store.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { lockSite } from '../merchants/locked-site.ts'
import { readMail, readMailLog } from './mail-log.ts'
import { insertMails } from './mail-rows.ts'

const READ = `
select kinds, sends_tests as "sendsTests", sender_name as "senderName", reply_to as "replyTo"
  from mail_subscriptions where site_id = $1`

/** Events from before the first kind have no mail. */
const FROM_NOW = `position = case when cardinality(s.kinds) = 0 then excluded.position
                                  else s.position end`

const WRITE = `
insert into mail_subscriptions as s
  (merchant_id, site_id, kinds, sends_tests, sender_name, reply_to, position)
select i.merchant_id, i.id, $2, $3, $4, $5, h.position from sites i, event_head h where i.id = $1
on conflict (site_id) do update
   set kinds = excluded.kinds, sends_tests = excluded.sends_tests,
       sender_name = excluded.sender_name, reply_to = excluded.reply_to, ${FROM_NOW}`

/** Notices are about test mode too: their subject says so. */
const WRITE_NOTICES = `
insert into mail_subscriptions as s (merchant_id, portal_user_id, kinds, sends_tests, position)
select u.merchant_id, u.id, $2, true, h.position from portal_users u, event_head h where u.id = $1
on conflict (portal_user_id) do update set kinds = excluded.kinds, ${FROM_NOW}`

const PUT_TEMPLATE = `
insert into mail_templates (site_id, kind, subject, body_text, body_html)
values ($1, $2, $3, $4, $5)
on conflict (site_id, kind) do update
   set subject = excluded.subject, body_text = excluded.body_text, body_html = excluded.body_html,
       changed_at = now()`

const TEMPLATES = `
select kind, subject, body_text as text, body_html as html from mail_templates
 where site_id = $1 and ($2::text is null or kind = $2)`

const NAMES = `
select m.id as merchant_id, m.name as merchant, s.name as site, s.mode
  from sites s join merchants m on m.id = s.merchant_id where s.id = $1`

/** Due at once by the machine's clock, with a Message-ID of its own. */
const SEND_AGAIN = `
update mail_messages
   set state = 'waiting', attempts = 0, round = round + 1, ended_at = null, answer = '',
       due_at = clock_timestamp()
 where id = $2 and site_id = $1 and state <> 'waiting'`

type Client = Pick<pg.ClientBase, 'query'>

/** Settings, texts and the log of mail in the database. */
export function createSiteMailStore(pool: pg.Pool): SiteMailStore {
  return {
    transact: createTransact(pool, siteTxOf),
    transactNotices: createTransact(pool, noticesTxOf),
    async show(siteId) {
      const names = await readNames(pool, siteId)
      if (names === null) return null
      const templates = await readTemplates(pool, siteId, null)
      return { ...(await readSiteMail(pool, siteId)), names, templates }
    },
    readLog: (siteId, filter) => readMailLog(pool, siteId, filter),
    readMail: (siteId, id) => readMail(pool, siteId, id),
    async userOf(email) {
      const { rows } = await pool.query<{ id: string }>(
        'select id from portal_users where email = lower($1)',
        [email],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },
    readNotices: (portalUserId) => readNotices(pool, portalUserId),
  }
}

async function readSiteMail(client: Client, siteId: bigint): Promise<SiteMail> {
  const { rows } = await client.query<SiteMail>(READ, [siteId])
  return rows[0] ?? NO_MAIL
}

async function readTemplates(
  client: Client,
  siteId: bigint,
  kind: CustomerMailName | null,
): Promise<ReadonlyMap<CustomerMailName, MailTemplate>> {
  const { rows } = await client.query<MailTemplate & { kind: CustomerMailName }>(TEMPLATES, [
    siteId,
    kind,
  ])
  return new Map(rows.map(({ html, kind: of, subject, text }) => [of, { subject, text, html }]))
}

async function readNames(client: Client, siteId: bigint): Promise<MailNames | null> {
  const { rows } = await client.query<Omit<MailNames, 'merchantId'> & { merchant_id: string }>(
    NAMES,
    [siteId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { merchant, merchant_id: merchantId, mode, site } = row
  return { merchantId: BigInt(merchantId), merchant, site, mode }
}

async function readNotices(client: Client, portalUserId: bigint): Promise<readonly NoticeName[]> {
  const { rows } = await client.query<{ kinds: NoticeName[] }>(
    'select kinds from mail_subscriptions where portal_user_id = $1',
    [portalUserId],
  )
  return rows[0]?.kinds ?? []
}

function siteTxOf(client: pg.ClientBase): Omit<SiteMailTx, 'audit'> {
  return {
    lockSite: (siteId) => lockSite(client, siteId),
    async readNames(siteId) {
      const names = await readNames(client, siteId)
      invariant(names !== null, 'a locked site is gone')
      return names
    },
    read: (siteId) => readSiteMail(client, siteId),
    async write(siteId, { kinds, replyTo, senderName, sendsTests }) {
      await client.query(WRITE, [siteId, kinds, sendsTests, senderName, replyTo])
    },
    readTemplate: async (siteId, kind) =>
      (await readTemplates(client, siteId, kind)).get(kind) ?? null,
    async putTemplate(siteId, kind, template) {
      if (template === null) {
        await client.query('delete from mail_templates where site_id = $1 and kind = $2', [
          siteId,
          kind,
        ])
        return
      }
      const { html, subject, text } = template
      await client.query(PUT_TEMPLATE, [siteId, kind, subject, text, html])
    },
    async queue(merchantId, draft) {
      const [id] = await insertMails(client, merchantId, null, [draft])
      invariant(id !== undefined, 'a mail without an event was there already')
      return id
    },
    async sendAgain(siteId, id) {
      return (await client.query(SEND_AGAIN, [siteId, id])).rowCount === 1
    },
  }
}

function noticesTxOf(client: pg.ClientBase): Omit<NoticesTx, 'audit'> {
  return {
    async lockUser(id) {
      const { rows } = await client.query<{ email: string; merchant_id: string }>(
        'select email, merchant_id from portal_users where id = $1 for update',
        [id],
      )
      const [row] = rows
      return row === undefined ? null : { email: row.email, merchantId: BigInt(row.merchant_id) }
    },
    read: (id) => readNotices(client, id),
    async write(id, kinds) {
      await client.query(WRITE_NOTICES, [id, kinds])
    },
  }
}
