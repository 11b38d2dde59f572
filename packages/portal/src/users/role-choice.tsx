import { Select } from '@mantine/core'
import { ROLES, type Role } from '@tollgate/portal-contract/rights'
import { useSession } from '../session/session.ts'

const WORDS: Readonly<Record<Role, string>> = {
  owner: 'everything, including requests for live mode',
  admin: 'everything except requests for live mode',
  finance: 'captures, refunds, batches, payouts and reconciliation',
  support: 'orders, refunds, customers and the terminal',
  developer: 'the catalogue and the developer pages',
  read_only: 'views orders, customers, batches and settings, without changes',
}

/** The roles that the portal user may give: only owners make owners. */
export function RoleChoice({
  value,
  onChange,
}: {
  readonly value: Role
  readonly onChange: (role: Role) => void
}) {
  const { portalUser } = useSession()
  const roles = (Object.keys(ROLES) as Role[]).filter(
    (role) => role !== 'owner' || portalUser.role === 'owner',
  )
  return (
    <Select
      label="Role"
      description={`Allows: ${WORDS[value]}.`}
      allowDeselect={false}
      data={roles.map((role) => ({ value: role, label: ROLES[role].title }))}
      value={value}
      onChange={(role) => role !== null && onChange(role as Role)}
    />
  )
}
