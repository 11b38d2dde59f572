import { execFile } from 'node:child_process'
import type { Log } from './log.ts'

/**
 * Reports to systemd that payments are taken, so that `systemctl start` returns then. Does nothing
 * where systemd does not wait for it. Its own program sends the report, because Node cannot open
 * the kind of socket that systemd listens on: sd_notify(3).
 */
export function reportReady(env: Readonly<Record<string, string | undefined>>, log: Log): void {
  const { NOTIFY_SOCKET, PATH } = env
  if (NOTIFY_SOCKET === undefined) return
  execFile('systemd-notify', ['--ready'], { env: { NOTIFY_SOCKET, PATH } }, (error) => {
    if (error !== null) log.warn(`systemd does not know that Tollgate is ready: ${error.message}`)
  })
}
