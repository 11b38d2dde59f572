import { MARKED_USER } from '../marked-user.ts'
import { card, PASSWORD } from '../marks.ts'
import { inTurn, payment, untilRows, valueOf, type Path } from '../path.ts'

const AT_ONCE = 4
const LISTS = [
  'orders',
  'transactions',
  'memberships',
  'customers',
  'batches',
  'payouts',
  'disputes',
  'events',
]

/** The feed and the lists of programs: the number in every parameter, and where a name belongs. */
export const programRequests: Path = {
  name: 'requests of programs',
  seen: ['program'],
  async push(run) {
    const number = card('program')
    const orderId = valueOf(await run.send(payment(number)), 'PO_ID')
    await untilRows(run, `select from events where object_id = '${orderId}'`)
    const login = Buffer.from(`${MARKED_USER}:${PASSWORD}`).toString('base64')
    const stranger = Buffer.from(`${number}:${number}`).toString('base64')
    const get = (path: string, authorization: string | null = login) =>
      run.request(`/api/v1/${path}`, {
        headers: authorization === null ? {} : { authorization: `Basic ${authorization}` },
      })
    const queries = [
      '',
      '?format=csv',
      '?format=jsonl',
      `?after=${number}`,
      `?limit=${number}`,
      `?from=${number}&to=${number}`,
      `?format=${number}`,
      `?types=${number}`,
      `?xtl_order_id=${number}`,
      `?xtl_cust_id=card%20${number}`,
      `?status=${number}`,
      `?amount=${number}&currency=${number}`,
      `?${number}=${number}`,
      `/${number}`,
    ]
    const paths = LISTS.flatMap((list) => queries.map((query) => list + query))
    await inTurn(AT_ONCE, paths.values(), (path) => get(path))
    await get('orders', stranger)
    await get(`orders?xtl_order_id=${number}`, null)
    await get(`${number}?${number}`)
  },
}
