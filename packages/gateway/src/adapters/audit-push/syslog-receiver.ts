import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { SendEntries } from '../../usecases/audit/push-audit.ts'
import type { Receiver } from './receiver.ts'
import { syslogFrame, type SyslogSource } from './syslog-frame.ts'

const SYSLOG_TLS_PORT = 6514

/**
 * Sends each batch over a connection of its own. Syslog has no acknowledgement. So the gateway ends
 * its side behind the batch, and waits until the receiver ends the other without an error. A
 * receiver with unread bytes resets the connection.
 */
export function createSyslogReceiver(receiver: Receiver, source: SyslogSource): SendEntries {
  return (entries) =>
    new Promise((resolve, reject) => {
      const socket = open(receiver)
      const timers = [
        setTimeout(
          () => socket.destroy(new Error('The receiver did not end the connection in time.')),
          receiver.exchangeMs,
        ),
      ]
      let isOurEnd = false
      let hasAll = false
      socket.on('error', reject)
      // An end before ours comes from a receiver that goes away, and may have read anything.
      socket.on('end', () => (hasAll = isOurEnd))
      socket.on('close', () => {
        timers.forEach(clearTimeout)
        if (hasAll) resolve()
        else reject(new Error('The receiver ended the connection before it had the whole batch.'))
      })
      socket.resume()
      const ready = receiver.url.protocol === 'syslog+tls:' ? 'secureConnect' : 'connect'
      socket.once(ready, () => {
        const end = (): void => {
          isOurEnd = true
          socket.end()
        }
        const frames = entries.map((entry) => syslogFrame(entry, source)).join('')
        // The pause lets the end of a receiver that goes away arrive before the gateway's own.
        socket.write(frames, () => timers.push(setTimeout(end, receiver.settleMs)))
      })
    })
}

function open({ ca, url }: Receiver): Socket {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  const port = url.port === '' ? SYSLOG_TLS_PORT : Number(url.port)
  if (url.protocol === 'syslog+tcp:') return connectPlain({ host, port })
  return connectTls({
    host,
    port,
    // An address is no server name.
    servername: isIP(host) === 0 ? host : '',
    minVersion: 'TLSv1.2',
    ...(ca === null ? {} : { ca }),
  })
}
