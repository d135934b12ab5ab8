import { useQuery } from '@tanstack/react-query'
import { profileQuery } from '../shell/session.ts'
import { Page, PageHead } from '../ui/base/page.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { ProfileForm } from './profile-form.tsx'

export default function ProfileScreen() {
  const { t } = useTranslation()
  const query = useQuery(profileQuery)
  return (
    <Page width={760}>
      <PageHead title={t('shell.profile')} />
      <QueryView query={query}>{(profile) => <ProfileForm key={profile.userId} profile={profile} />}</QueryView>
    </Page>
  )
}
