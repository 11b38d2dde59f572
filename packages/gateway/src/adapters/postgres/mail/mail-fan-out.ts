import type pg from 'pg'
import { OLDEST_EVENT_MS } from '../../../domain/mail/judge-mail.ts'
import { typesOf, type MailKindName } from '../../../domain/mail/mail-kinds.ts'
import type { MailTemplate } from '../../../domain/mail/template.ts'
import type {
  MailComposer,
  MailCustomer,
  MailQueue,
  Subscription,
} from '../../../usecases/mail/mail-ports.ts'
import { inTransaction } from '../connection/transaction.ts'
import { readEvents } from '../events/feed-reader.ts'
import { insertMails } from './mail-rows.ts'

/** Few enough that the locks of customers are short. */
const AT_ONCE = 500
/** The cursor of a subscription without events is moved on that seldom. */
const LEFT_BEHIND = 10_000

const FROM_DAY = `coalesce((select max(day) from event_days
                             where first_position <= s.position + 1), '-infinity')`

/** Subscriptions behind the head of the feed, with something to look at. */
const BEHIND = `
select s.id from mail_subscriptions s, event_head h
 where cardinality(s.kinds) > 0 and s.position < h.position
   and (s.position < h.position - ${LEFT_BEHIND}
        or exists (select from events v
                    where v.merchant_id = s.merchant_id and v.day >= ${FROM_DAY}
                      and v.position > s.position))
 order by s.id`

/** The lock first: the next statement sees how far another process came. */
const LOCK = `select from mail_subscriptions where id = $1 for update skip locked`

/** A portal user who is disabled gets nothing: the address is null then. */
const READ = `
select s.merchant_id, s.site_id, s.kinds, s.sends_tests, s.sender_name, s.reply_to,
       m.name as merchant_name, m.time_zone, s.portal_user_id,
       case when u.active then u.email end as address,
       (select json_object_agg(i.id::text, i.name) from sites i
         where i.merchant_id = s.merchant_id) as site_names,
       (select json_agg(json_build_array(t.kind, t.subject, t.body_text, t.body_html))
          from mail_templates t where t.site_id = s.site_id) as templates
  from mail_subscriptions s
  join merchants m on m.id = s.merchant_id
  left join portal_users u on u.id = s.portal_user_id
 where s.id = $1`

/** $2: the wanted types, $3: the oldest time. Events of any site go to a portal user. */
const PAGE = `
with looked_at as materialized (
  select v.day, v.position, v.site_id, v.type, v.recorded_at
    from mail_subscriptions s
    join events v on v.merchant_id = s.merchant_id and v.day >= ${FROM_DAY}
                 and v.position > s.position
   where s.id = $1
   order by v.day, v.position limit ${AT_ONCE}
)
select (select count(*) from looked_at)::int as looked_at,
       (select max(position) from looked_at) as last,
       (select json_agg(json_build_array(l.day, l.position::text) order by l.position)
          from looked_at l join mail_subscriptions s on s.id = $1
         where l.type = any($2::text[]) and l.recorded_at > $3
           and (s.site_id is null or l.site_id = s.site_id)) as wanted`

const MOVE = `
update mail_subscriptions s
   set position = case when $2::int < ${AT_ONCE} then greatest(h.position, s.position)
                       else $3::bigint end
  from event_head h where s.id = $1`

/** An erasure of a customer waits for the mails, or the mails for the erasure. */
const LOCK_CUSTOMERS = `
select from customers where id = any($1::bigint[]) and merchant_id = $2 order by id for share`

const CUSTOMERS = `
select id, email as address, first_name as "firstName", last_name as "lastName"
  from customers where id = any($1::bigint[]) and merchant_id = $2`

interface SubscriptionRow {
  readonly merchant_id: string
  readonly site_id: string | null
  readonly kinds: MailKindName[]
  readonly sends_tests: boolean
  readonly sender_name: string
  readonly reply_to: string
  readonly merchant_name: string
  readonly time_zone: string
  readonly portal_user_id: string | null
  readonly address: string | null
  readonly site_names: Readonly<Record<string, string>> | null
  readonly templates: readonly (readonly [MailKindName, string, string, string])[] | null
}

interface Page {
  readonly looked_at: number
  readonly last: string | null
  readonly wanted: readonly (readonly [day: string, position: string])[] | null
}

/** Takes events out of the feed. A process that finds nothing costs one plain read. */
export function createMailFanOut(pool: pg.Pool): MailQueue['fanOut'] {
  /** Nothing is left up to it. */
  let doneTo: string | null = null

  async function fanOutTo(
    id: string,
    composer: MailComposer,
    now: Date,
  ): Promise<'done' | 'more' | 'busy'> {
    return inTransaction(pool, null, async (client) => {
      const locked = await client.query(LOCK, [id])
      if (locked.rowCount === 0) return 'busy'
      const { rows } = await client.query<SubscriptionRow>(READ, [id])
      const [row] = rows
      if (row === undefined) return 'busy'
      const subscription = subscriptionOf(row)
      const oldest = new Date(now.getTime() - OLDEST_EVENT_MS)
      const types = typesOf(subscription.kinds)
      const { rows: pages } = await client.query<Page>(PAGE, [id, types, oldest])
      const { last = null, looked_at: lookedAt = 0, wanted = null } = pages[0] ?? {}
      const places = (wanted ?? []).map(([day, position]) => ({ day, position: BigInt(position) }))
      if (places.length > 0) await write(client, subscription, composer, places)
      await client.query(MOVE, [id, lookedAt, last])
      return lookedAt === AT_ONCE ? 'more' : 'done'
    })
  }

  async function write(
    client: pg.ClientBase,
    subscription: Subscription,
    composer: MailComposer,
    places: Parameters<typeof readEvents>[2],
  ): Promise<void> {
    // Events never change, so that another connection reads the same.
    const read = await readEvents(pool, subscription.merchantId, places)
    const events = places.flatMap(({ position }) => read.get(position) ?? [])
    const ids = [...new Set(composer.customersOf(subscription, events))]
    const customers = await readCustomers(client, ids, subscription.merchantId)
    const drafts = composer.compose(subscription, events, customers)
    await insertMails(client, subscription.merchantId, subscription.user?.id ?? null, drafts)
  }

  return async (composer, now) => {
    const { rows: heads } = await pool.query<{ position: string }>({
      name: 'head of mail',
      text: 'select position from event_head',
    })
    const head = heads[0]?.position ?? null
    if (head === doneTo) return false
    const { rows } = await pool.query<{ id: string }>({ name: 'mail behind', text: BEHIND })
    const results: string[] = []
    for (const { id } of rows) results.push(await fanOutTo(id, composer, now))
    if (results.every((result) => result === 'done')) doneTo = head
    return results.includes('more')
  }
}

async function readCustomers(
  client: pg.ClientBase,
  ids: readonly string[],
  merchantId: bigint,
): Promise<ReadonlyMap<string, MailCustomer>> {
  if (ids.length === 0) return new Map()
  await client.query(LOCK_CUSTOMERS, [ids, merchantId])
  const { rows } = await client.query<MailCustomer & { id: string }>(CUSTOMERS, [ids, merchantId])
  return new Map(rows.map((row) => [row.id, row]))
}

function subscriptionOf(row: SubscriptionRow): Subscription {
  const templates = (row.templates ?? []).map(
    ([kind, subject, text, html]): [MailKindName, MailTemplate] => [kind, { subject, text, html }],
  )
  return {
    merchantId: BigInt(row.merchant_id),
    merchantName: row.merchant_name,
    timeZone: row.time_zone,
    user:
      row.portal_user_id === null
        ? null
        : { id: BigInt(row.portal_user_id), address: row.address ?? '' },
    kinds: row.kinds,
    sendsTests: row.sends_tests,
    senderName: row.sender_name,
    replyTo: row.reply_to,
    siteNames: new Map(Object.entries(row.site_names ?? {})),
    templates: new Map(templates),
  }
}
