import { Alert, Anchor } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { HeldUser } from '@tollgate/portal-contract/answers/home'
import { timeText } from '../parts/when.tsx'
import { useMay, useSession } from '../session/session.ts'

/** Users who came in by a reset link: all of them for owners, and oneself. */
export function HeldUsers({ held }: { readonly held: readonly HeldUser[] }) {
  const { portalUser } = useSession()
  const maySeeAudit = useMay('audit.see')
  return held.map(({ id, name, email, cameInBy, cameInAt, heldUntil }) => (
    <Alert
      key={id}
      color="orange"
      role="status"
      icon={<IconKey size={18} />}
      title={
        id === portalUser.id
          ? `You came in by a reset link from ${cameInBy}`
          : `${name} came in by a reset link from ${cameInBy}`
      }
    >
      The link was used at {timeText(cameInAt)}. Until {timeText(heldUntil)}{' '}
      {id === portalUser.id ? 'you' : 'this user'} can change neither money nor users. If{' '}
      {id === portalUser.id ? 'you did not ask' : `${email} did not ask`} for the reset, an owner
      should disable both users.{' '}
      {maySeeAudit && (
        <Anchor
          inherit
          renderRoot={(props) => <Link {...props} to="/audit" search={{ object: email }} />}
        >
          Show the audit log
        </Anchor>
      )}
    </Alert>
  ))
}
