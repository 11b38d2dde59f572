import { Select } from '@mantine/core'
import { ROLES, type Role } from '@tollgate/portal-contract/rights'
import { useSession } from '../session/session.ts'

const WORDS: Readonly<Record<Role, string>> = {
  owner: 'everything, also moving sites between test and live',
  admin: 'everything but asking for a site to go live',
  finance: 'captures, refunds, batches and reconciliation',
  support: 'orders, refunds, customers and the terminal',
  developer: 'the catalogue and the developer pages',
  read_only: 'looks at orders, customers, money and settings, changes nothing',
}

/** The roles that the person may give: only owners make owners. */
export function RoleChoice({
  value,
  onChange,
}: {
  readonly value: Role
  readonly onChange: (role: Role) => void
}) {
  const { person } = useSession()
  const roles = (Object.keys(ROLES) as Role[]).filter(
    (role) => role !== 'owner' || person.role === 'owner',
  )
  return (
    <Select
      label="Role"
      description={`May do: ${WORDS[value]}.`}
      allowDeselect={false}
      data={roles.map((role) => ({ value: role, label: ROLES[role].title }))}
      value={value}
      onChange={(role) => role !== null && onChange(role as Role)}
    />
  )
}
