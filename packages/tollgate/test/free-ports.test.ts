import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

const ASK = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData).then(({ freePorts }) => freePorts(30)).then((ports) => parentPort.postMessage(ports))
  parentPort.on('message', () => process.exit())
`

test('many that ask for ports at once get none twice, nor one of the five behind another', async () => {
  const module = new URL('free-ports.ts', import.meta.url).href
  const askers = Array.from(
    { length: 4 },
    () => new Worker(ASK, { eval: true, workerData: module }),
  )
  const answers = await Promise.all(askers.map((asker) => once(asker, 'message')))
  for (const asker of askers) asker.postMessage('end')

  const ports = answers.flatMap(([ports]) => ports as number[]).toSorted((a, b) => a - b)

  assert.equal(ports.length, 120)
  assert.ok(
    ports.every((port, at) => at === 0 || port - (ports[at - 1] ?? 0) > 5),
    ports.join(' '),
  )
})
