import type { ChildProcess } from 'node:child_process'

/** The system's end of a connection; `fd` is -1 once it is closed. */
interface ConnectionHandle {
  readonly fd: number
  close(): void
}

type Send = (message: unknown, handle?: unknown, ...rest: unknown[]) => boolean

/**
 * Closes a connection that a dying worker was given and did not take. The supervisor accepts each
 * connection, hands it to one worker, and waits for that worker's word before the next. Node
 * forgets the connection if the worker dies meanwhile: the client would wait without end.
 */
export function closeWithWorker(worker: ChildProcess): void {
  const handed = new Map<unknown, ConnectionHandle>()
  const send = worker.send.bind(worker) as Send
  const remember: Send = (message, handle, ...rest) => {
    const key = listenerOf(message)
    if (key !== null && isConnection(handle)) handed.set(key, handle)
    return send(message, handle, ...rest)
  }
  worker.send = remember as ChildProcess['send']
  worker.once('exit', () => {
    // Node has closed every handle that the worker took.
    for (const handle of handed.values()) if (handle.fd >= 0) handle.close()
    handed.clear()
  })
}

/** The listener whose connection Node hands over with this message; null for any other. */
function listenerOf(message: unknown): unknown {
  if (typeof message !== 'object' || message === null) return null
  // Node's own names.
  const { ['act']: kind, key = null } = message as Readonly<Record<string, unknown>>
  return kind === 'newconn' ? key : null
}

function isConnection(handle: unknown): handle is ConnectionHandle {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'fd' in handle &&
    typeof handle.fd === 'number' &&
    'close' in handle &&
    typeof handle.close === 'function'
  )
}
