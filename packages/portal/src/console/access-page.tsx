import { Button, Group } from '@mantine/core'
import { CONSOLE_RIGHTS, CONSOLE_ROLES } from '@tollgate/portal-contract/console-rights'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone } from '../parts/done.ts'
import { Facts } from '../parts/facts.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { ChangePassword } from '../session/change-password.tsx'
import { SecondFactorSetup } from '../session/second-factor-setup.tsx'
import { useConsoleSession } from './console-session.ts'

/** The operator's own access: password and second factor. */
export function AccessPage() {
  const { operator, rights } = useConsoleSession()
  const [opened, setOpened] = useState<'password' | 'factor' | null>(null)
  const close = (): void => setOpened(null)
  return (
    <Page title="My access" text="A change signs you out everywhere else.">
      <Panel
        title="Sign-in"
        actions={
          <Group gap="xs">
            <Button variant="default" onClick={() => setOpened('password')}>
              Change password
            </Button>
            <Button variant="default" onClick={() => setOpened('factor')}>
              Replace second factor
            </Button>
          </Group>
        }
      >
        <Facts
          facts={[
            ['E-mail', operator.email],
            ['Role', CONSOLE_ROLES[operator.role].title],
            ['You may', rights.map((right) => CONSOLE_RIGHTS[right]).join('; ')],
          ]}
        />
      </Panel>
      <Dialog opened={opened === 'password'} onClose={close} title="Change password">
        <ChangePassword
          email={operator.email}
          onDone={() => {
            close()
            showDone('Your password was changed.')
          }}
        />
      </Dialog>
      <Dialog
        opened={opened === 'factor'}
        onClose={close}
        title="Replace second factor"
        closeOnClickOutside={false}
      >
        <SecondFactorSetup
          requiresPassword
          onDone={() => {
            close()
            showDone('Your second factor was replaced.')
          }}
        />
      </Dialog>
    </Page>
  )
}
