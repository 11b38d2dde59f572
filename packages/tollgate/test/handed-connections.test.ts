import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { closeWithWorker } from '../src/handed-connections.ts'

const WITHIN = { timeout: 20_000 }

type Send = (message: object, ...rest: unknown[]) => boolean

test(
  'a connection ends with the worker that was given it and did not take it',
  WITHIN,
  async (t) => {
    cluster.setupPrimary({ exec: fileURLToPath(new URL('fixtures/listener.ts', import.meta.url)) })
    const worker = cluster.fork().process as ChildProcess
    t.after(() => worker.kill('SIGKILL'))
    const handedOver = Promise.withResolvers<void>()
    const send = worker.send.bind(worker) as Send
    const notice: Send = (message, ...rest) => {
      if ('act' in message && message.act === 'newconn') handedOver.resolve()
      return send(message, ...rest)
    }
    worker.send = notice as ChildProcess['send']
    closeWithWorker(worker)
    const [ready] = (await once(worker, 'message')) as [{ readonly address: AddressInfo }]

    // A stopped worker reads no message, so it never takes the connection.
    worker.kill('SIGSTOP')
    const client = connect(ready.address.port, '127.0.0.1')
    client.on('error', () => undefined)
    t.after(() => client.destroy())
    await once(client, 'connect')
    client.resume().write('GET / HTTP/1.1\r\n\r\n')
    await handedOver.promise
    const closed = new Promise((resolve) => client.once('close', () => resolve('closed')))
    worker.kill('SIGKILL')

    assert.equal(await closed, 'closed')
  },
)
