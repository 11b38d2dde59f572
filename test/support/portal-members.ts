import { expiryThisMonth } from './dates.ts'
import { ask, codes, sale, untilCatalogueIsKnown, type Record } from './memberships.ts'
import { untilCharged } from './renewals.ts'
import type { RunningGateway } from './running-gateway.ts'

/** Declined for want of an issuer: worth another try. */
const AWAY = '4012889000000913'

export interface Members {
  /** Active, with two cards of which one charges nothing. */
  readonly active: Record
  /** Its renewal was declined. */
  readonly failing: Record
}

/** Customers of site 1001 with cards, orders and memberships of every kind that pages show. */
export async function sellToMembers(gateway: RunningGateway): Promise<Members> {
  await gateway.pool.query(`
    insert into products (site_id, code, name, type, metric, period, price_minor, currency, active) values
      (1001, 'gold', 'Gold membership', 'renews', 'M', 1, 1995, 'USD', true),
      (1001, 'silver', 'Silver membership', 'renews', 'M', 1, 995, 'USD', true),
      (1001, 'paper', 'Daily paper', 'renews', 'D', 1, 120, 'USD', true),
      (1001, 'pass', 'Ten-day pass', 'ends', 'D', 10, 4500, 'USD', true),
      (1001, 'book', 'Book', null, null, null, null, null, true),
      (1001, 'gone', 'Old plan', 'renews', 'M', 1, 1100, 'USD', false)`)
  await untilCatalogueIsKnown(gateway, 'gone')
  const buy = async (
    first: string,
    last: string,
    more: Parameters<typeof sale>[0],
  ): Promise<Record> => {
    const answer = await ask(
      gateway,
      sale({
        CUST_FNAME: first,
        CUST_LNAME: last,
        CUST_EMAIL: `${first}.${last}@example.com`.toLowerCase(),
        XTL_CUST_ID: `C-${last}`,
        BILL_ADDR: '12 Harbour Street',
        BILL_ADDR_CITY: 'Portland',
        BILL_ADDR_STATE: 'OR',
        BILL_ADDR_ZIP: '97201',
        BILL_ADDR_COUNTRY: 'US',
        ...more,
      }),
    )
    if (codes(answer) !== 'APPROVED 0/100')
      throw new Error(`A sale to ${last} was ${codes(answer)}.`)
    return answer
  }
  const active = await buy('Nora', 'Lindqvist', {
    LI_PROD_ID_1: 'gold',
    PMT_NUMB: '4444333322221111',
  })
  await buy('', '', {
    CUST_ID: active['CUST_ID'] ?? '',
    PMT_NUMB: '4012888888881881',
    PMT_EXPIRY: expiryThisMonth(),
    LI_VALUE_1: '7.50',
  })
  await buy('Nora', 'Lind', {
    PMT_NUMB: '4444333322221111',
    CUST_EMAIL: 'nora.lindqvist@example.com',
    LI_VALUE_1: '12.00',
  })
  await buy('Theo', 'Brandt', { LI_PROD_ID_1: 'paper' })
  await buy('Ines', 'Moreau', { LI_PROD_ID_1: 'pass' })
  const cancelled = await buy('Omar', 'Haddad', { LI_PROD_ID_1: 'silver' })
  await ask(gateway, {
    REQUEST_ACTION: 'SUB_CANCEL',
    REQUEST_REF_MBSHP_ID: cancelled['MBSHP_ID_1'] ?? '',
  })
  const changed = await buy('Mei', 'Tanaka', { LI_PROD_ID_1: 'silver' })
  await ask(gateway, {
    REQUEST_ACTION: 'SUB_UPDATE',
    REQUEST_REF_MBSHP_ID: changed['MBSHP_ID_1'] ?? '',
    SUB_UPDATE_PROD_ID: 'gold',
  })
  const failing = await buy('Sam', 'Okafor', { LI_PROD_ID_1: 'gold', PMT_NUMB: AWAY })
  await gateway.pool.query('update memberships set next_at = now() where id = $1', [
    failing['MBSHP_ID_1'],
  ])
  await untilCharged(gateway, failing['MBSHP_ID_1'] ?? '')
  return { active, failing }
}
