import { ScrollArea, Table, VisuallyHidden } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { RIGHTS, ROLES, type Right, type Role } from '@tollgate/portal-contract/rights'
import frame from '../parts/data-table.module.css'
import { Page } from '../parts/page.tsx'
import classes from './portal-users.module.css'

const roles = Object.keys(ROLES) as Role[]

/** The rights of each role, as the gateway judges them. */
export function RolesPage() {
  return (
    <Page
      title="Roles"
      text="Permissions of each role. The gateway checks every page and every request against this table."
    >
      <ScrollArea
        type="auto"
        offsetScrollbars="present"
        className={frame.frame}
        viewportProps={{ tabIndex: 0 }}
      >
        <Table aria-label="Roles and rights" stickyHeader striped>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Permission</Table.Th>
              {roles.map((role) => (
                <Table.Th key={role} className={classes.mark}>
                  {ROLES[role].title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(Object.entries(RIGHTS) as [Right, string][]).map(([right, text]) => (
              <Table.Tr key={right}>
                <Table.Th scope="row" fw={400}>
                  {text}
                </Table.Th>
                {roles.map((role) => (
                  <Table.Td key={role} className={classes.mark}>
                    {(ROLES[role].rights as readonly Right[]).includes(right) ? (
                      <>
                        <IconCheck size={16} aria-hidden />
                        <VisuallyHidden>yes</VisuallyHidden>
                      </>
                    ) : (
                      <VisuallyHidden>no</VisuallyHidden>
                    )}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
    </Page>
  )
}
