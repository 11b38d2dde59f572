import { signIn } from '../../test/support/portal.ts'
// `npm run bench:lists`: how long the portal's lists take with a million orders, next to the
// shortest answer that the portal's API has, in one run.
import { startRunningGateway } from '../../test/support/running-gateway.ts'
import { writeManyOrders } from './many-orders.ts'

const TIMES = 7

/** The queries, as they stand in the page's address. */
const QUESTIONS = [
  '',
  'sort=oldest',
  'q=order:5500001',
  'q=REF-777001',
  'q=person777@example.com',
  'q=lasthhh',
  'q=firsthh',
  'q=firsthh lasthhh',
  'q=asthhh',
  'q=REF-77700',
  'q=REF-7',
  'q=lasthhh 345.67',
  'q=firsthh yesterday',
  'q=firsth 1111',
  'q=visa declined',
  'q=american express refunds yesterday',
  'q=firsth visa declined 1111',
  'q=4321',
  'q=1111',
  'q=345.67',
  'q=bin:555555',
  'q=auth:222333',
  'q=network:NET000000777001',
  'q=yesterday',
  'status=declined',
  'status=expired',
  'brand=Visa',
  'avs=N',
  'cvv=N',
  'threeDs=Y',
  'reason=605',
  'site=1001',
  'account=2001',
  'user=demo@tollgate.test',
  'user=nobody',
  'currency=KWD',
  'min=400&max=401',
  'time=7 days',
  'customer=5500001',
  'card=5500001',
  'initiator=merchant',
  'action=capture',
  'action=sale_void',
]

const orders = Number(process.argv[2] ?? 1_000_000)
if (!Number.isInteger(orders) || orders < 1) {
  process.stderr.write('Usage: npm run bench:lists [-- ORDERS]\n')
  process.exit(1)
}
const gateway = await startRunningGateway({}, undefined, { settings: { shared_buffers: '512MB' } })
try {
  process.stderr.write(`Writing ${orders} orders ...\n`)
  await writeManyOrders(gateway.pool, orders)
  const owner = await signIn(gateway)
  const median = async (path: string): Promise<{ readonly ms: number; readonly rows: number }> => {
    const took: number[] = []
    let rows = 0
    for (let at = 0; at < TIMES; at += 1) {
      const started = performance.now()
      const { body, status, text } = await owner.get(path)
      if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`)
      took.push(performance.now() - started)
      rows = body.rows?.length ?? 0
    }
    return { ms: took.toSorted((left, right) => left - right)[Math.floor(TIMES / 2)] ?? 0, rows }
  }
  await median('/orders')
  const shortest = await median('/session')
  process.stdout.write(`shortest answer: ${shortest.ms.toFixed(1)} ms\n`)
  let slowest = 0
  for (const list of ['orders', 'transactions']) {
    for (const question of QUESTIONS) {
      const { ms, rows } = await median(`/${list}?${question.replaceAll(' ', '%20')}`)
      slowest = Math.max(slowest, ms)
      process.stdout.write(
        `${list.padEnd(13)}${question.padEnd(32)}${ms.toFixed(1).padStart(8)} ms${(ms / shortest.ms).toFixed(1).padStart(8)} times  ${rows} rows\n`,
      )
    }
  }
  process.stdout.write(
    `slowest of ${2 * QUESTIONS.length} pages: ${slowest.toFixed(1)} ms, ${(slowest / shortest.ms).toFixed(1)} times the shortest answer\n`,
  )
} finally {
  await gateway.stop()
}
