import type pg from 'pg'
import type { WhySite } from '../domain/why-facts.ts'
import type {
  Followed,
  LaterChange,
  WhyReader,
  WhyThreeDsRow,
  WhyTransactionRow,
} from '../usecases/why-rows.ts'

const TRANSACTION = `
select t.id, t.order_id as "orderId", t.request_id as "requestId", o.site_id as "siteId", t.kind, t.state, o.kind as "orderKind",
       t.amount_minor as "amountMinor", t.value_minor as "valueMinor", o.currency, t.service_code as "serviceCode",
       t.processor_code as "processorCode", t.response_code as "responseCode",
       coalesce(n.merchant_advice, '') as "merchantAdvice", t.avs_code as "avsCode", t.cvv_code as "cvvCode",
       p.brand, p.last4, o.reference, m.processor_name as "processorName", m.processor_link_id is null as "isTestBank",
       t.created_at as "createdAt"
  from transactions t
  join orders o on o.id = t.order_id
  join payment_methods p on p.id = o.payment_method_id
  join merchant_accounts m on m.id = o.merchant_account_id
  left join account_updates n on n.transaction_id = t.id
 where t.id = $2 and t.merchant_id = $1`

const SITE = `
select s.id, s.mode, s.avs_mode as "avsMode", s.cvv_mode as "cvvMode", s.avs_match_set as "avsMatchSet",
       s.cvv_match_set as "cvvMatchSet", coalesce(c.mode, 'off') as "cardTestingMode",
       s.three_ds_required as "threeDsRequired", s.three_ds_unavailable as "threeDsUnavailable"
  from sites s left join card_testing_policies c on c.site_id = s.id
 where s.id = $2 and s.merchant_id = $1`

const THREE_DS = `
select state, coalesce(result_status, trans_status, '') as status, coalesce(nullif(result_reason, ''), trans_status_reason) as reason,
       cause, coalesce(message_version, '') as version
  from three_ds_authentications where transaction_id = $2 and merchant_id = $1`

const CARD_TESTING = `
select rule, refused from card_testing_hits
 where site_id = $2 and merchant_id = $1 and transaction_id = $3
   and at between $4::timestamptz - interval '15 minutes' and $4::timestamptz + interval '15 minutes'
 order by refused desc limit 1`

const FOLLOWED = `
select kind, state, amount_minor as "amountMinor", coalesce(reason, '') as reason, created_at as at
  from advices where transaction_id = $2 and merchant_id = $1 order by sequence`

// The newest entries of a merchant come first out of an index; so many of them are looked through
// at most.
const CHANGES = `
select number, at, actor, operation from (
  select number, at, actor, operation, object from audit_entries where merchant_id = $1 order by number desc limit 5000) e
 where e.object = 'site ' || $2::text and e.at > $3 and e.operation in
   ('site.mode_set', 'site.catalogue_set', 'site.three_ds_set', 'site.settings_set', 'card_testing.put', 'card_testing.mode_set')
 order by e.number desc limit 20`

/** Reads what is needed to say why an answer was what it was. */
export function createWhyReader(pool: pg.Pool): WhyReader {
  const one = async <Row>(text: string, values: readonly unknown[]): Promise<Row | null> => {
    const { rows } = await pool.query(text, [...values])
    return (rows[0] as Row | undefined) ?? null
  }
  return {
    async findTransaction(merchantId, id) {
      const row = await one<WhyTransactionRow>(TRANSACTION, [merchantId, id])
      if (row === null) return null
      return {
        ...row,
        id: BigInt(row.id),
        orderId: BigInt(row.orderId),
        requestId: BigInt(row.requestId),
        siteId: BigInt(row.siteId),
        amountMinor: BigInt(row.amountMinor),
        valueMinor: BigInt(row.valueMinor),
      }
    },
    async findSite(merchantId, id) {
      const row = await one<WhySite>(SITE, [merchantId, id])
      return row === null ? null : { ...row, id: BigInt(row.id) }
    },
    findThreeDs: (merchantId, transactionId) =>
      one<WhyThreeDsRow>(THREE_DS, [merchantId, transactionId]),
    findCardTesting: (merchantId, siteId, transactionId, around) =>
      one(CARD_TESTING, [merchantId, siteId, transactionId, around]),
    async followed(merchantId, transactionId) {
      const { rows } = await pool.query<Followed>(FOLLOWED, [merchantId, transactionId])
      return rows.map((row) => ({ ...row, amountMinor: BigInt(row.amountMinor) }))
    },
    async changesSince(merchantId, siteId, since) {
      const { rows } = await pool.query<LaterChange>(CHANGES, [merchantId, siteId, since])
      return rows.map((row) => ({ ...row, number: BigInt(row.number) }))
    },
  }
}
