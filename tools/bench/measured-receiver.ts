import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { MeasuredGateway } from './measured-servers.ts'
import type { ReceiverMessage } from './webhook-receiver.ts'

export interface MeasuredReceiver {
  /** The address of a path. */
  url(path: string): string
  /** Webhooks so far, and the processor time of the receiver so far. */
  received(): Promise<{ readonly count: number; readonly processorMs: number }>
  stop(): Promise<void>
}

/** Starts a program that accepts every webhook. */
export async function startReceiver(): Promise<MeasuredReceiver> {
  const child = fork(fileURLToPath(new URL('webhook-receiver.ts', import.meta.url)))
  const next = async (): Promise<ReceiverMessage> => {
    const [message] = (await once(child, 'message')) as [ReceiverMessage]
    return message
  }
  const first = await next()
  const port = first.kind === 'listens' ? first.port : 0
  return {
    url: (path) => `http://127.0.0.1:${port}/${path}`,
    async received() {
      const answer = next()
      child.send('count')
      const message = await answer
      if (message.kind !== 'received') throw new Error('The receiver began again.')
      return message
    },
    async stop() {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}

const LOGIN = `Basic ${Buffer.from('demo@tollgate.test:Sandbox-4.14-demo').toString('base64')}`

/** A request of the endpoint API, as the sandbox's published API user. */
async function ask(
  { host, port }: MeasuredGateway,
  method: 'POST' | 'DELETE',
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`http://${host}:${port}/api/v1/webhook-endpoints${path}`, {
    method,
    headers: { authorization: LOGIN, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The endpoint API answered ${response.status}: ${text}`)
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

/** Adds an endpoint for all events of the sandbox's site; gives its id. */
export async function addEndpoint(gateway: MeasuredGateway, url: string): Promise<string> {
  return String((await ask(gateway, 'POST', '', { site_id: '1001', url }))['id'])
}

export async function setEndpoint(
  gateway: MeasuredGateway,
  id: string,
  to: 'pause' | 'resume',
): Promise<void> {
  await ask(gateway, 'POST', `/${id}/${to}`, {})
}

export async function removeEndpoint(gateway: MeasuredGateway, id: string): Promise<void> {
  await ask(gateway, 'DELETE', `/${id}`, {})
}
