import { untilSeen } from './eventually.ts'
import { postForm } from './payments.ts'
import type { RunningGateway } from './running-gateway.ts'

export type Record = Readonly<{ [name: string]: string }>

type Form = Readonly<{ [name: string]: string | null }>

/** The answer to a request about a membership, every value as text. */
export async function ask(gateway: RunningGateway, form: Form): Promise<Record> {
  const { text } = await postForm(gateway, { REQUEST_RESPONSE_FORMAT: 'JSON', ...form })
  const record = JSON.parse(text) as { [name: string]: string | number }
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]))
}

/** A sale with a card of unlimited money. */
export function sale(more: Form = {}): Form {
  return {
    REQUEST_ACTION: 'CCAUTHCAP',
    PMT_NUMB: '4111111111111111',
    PMT_EXPIRY: '122040',
    LI_VALUE_1: '19.95',
    ...more,
  }
}

/** The definition of a product that renews every month. */
export function monthly(name: string, more: Form = {}): Form {
  return {
    PROD_NAME: name,
    PROD_TYPE: '2',
    PROD_REBILL_METRIC: 'M',
    PROD_REBILL_PERIOD: '1',
    ...more,
  }
}

/** State and codes of an answer in one line. */
export function codes(record: Record): string {
  const {
    TRANS_STATUS_NAME: status,
    API_RESPONSE: api,
    SERVICE_RESPONSE: service,
    REF_FIELD: field = '',
  } = record
  return [status || '-', `${api}/${service}`, field.trim()].filter((part) => part !== '').join(' ')
}

/**
 * Resolves when the gateway refuses a product of site 1001 that was switched off: it knows the
 * others then.
 */
export async function untilCatalogueIsKnown(
  gateway: RunningGateway,
  inactive: string,
): Promise<void> {
  await untilSeen(
    'the gateway refuses the product that was switched off',
    async () => codes(await ask(gateway, sale({ LI_PROD_ID_1: inactive }))),
    (seen) => seen === '- 0/192',
  )
}
