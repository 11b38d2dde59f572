import { Center, Paper, Text, Title } from '@mantine/core'
import type { UnfinishedView } from '@tollgate/portal-contract/answers/shell'
import { Dialog } from '../parts/dialog.tsx'
import { sendToken } from '../shell/api.ts'
import { PLACE } from '../shell/place.ts'
import { queryClient } from '../shell/query-client.ts'
import type { SessionAnswer } from './session.ts'
import { SignInSteps } from './sign-in-steps.tsx'

/** Takes up what the gateway answered to a step. */
function takeUp(session: SessionAnswer): void {
  sendToken(session.csrfToken)
  queryClient.setQueryData(['session'], session)
}

/** Replaces every page for a user who is not signed in; the address stays. */
export function SignIn({ unfinished }: { readonly unfinished: UnfinishedView | null }) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Title order={1} size="h3">
          Sign in
        </Title>
        <Text c="dimmed" size="sm" mb="md">
          {PLACE.name}
        </Text>
        <SignInSteps unfinished={unfinished} onStep={takeUp} />
      </Paper>
    </Center>
  )
}

interface SignInAgainProps {
  /** The e-mail address of the user of the page underneath. */
  readonly email: string
  readonly unfinished: UnfinishedView | null
}

/** Over a page whose session ended: typed text stays there, unless another user signs in. */
export function SignInAgain({ email, unfinished }: SignInAgainProps) {
  const onStep = (session: SessionAnswer): void => {
    if ((session.next === null ? session.portalUser : session.user).email !== email) {
      window.location.reload()
      return
    }
    takeUp(session)
  }
  return (
    <Dialog
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Sign in again"
      zIndex={400}
      overlayProps={{ backgroundOpacity: 0.6, blur: 6 }}
    >
      <Text c="dimmed" size="sm" mb="md">
        {unfinished === null
          ? 'Your session has ended. Your input on this page is kept.'
          : 'Complete the sign-in to continue. Your input on this page is kept.'}
      </Text>
      <SignInSteps unfinished={unfinished} email={email} onStep={onStep} />
    </Dialog>
  )
}
