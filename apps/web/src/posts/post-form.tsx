import { Button, Switch, TagsInput, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { createPost, updatePost } from '@vexil/contract/site'
import { postLimits, textLimits } from '@vexil/core/limits'
import { type Ref, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { paths } from '../shell/paths.ts'
import { useUnsavedWarning } from '../shell/unsaved.tsx'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useKeys } from '../ui/base/keyboard.ts'
import { PageHead } from '../ui/base/page.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useIsHere } from '../ui/base/use-is-here.ts'
import { useDraft } from '../ui/fields/use-draft.ts'
import { MarkdownField } from '../ui/markdown/markdown-field.tsx'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { DeletePost } from './delete-post.tsx'
import { type PostFields, postBody, postFields, storePost } from './post-fields.ts'
import c from './posts.module.css'
import { postQuery } from './posts.queries.ts'

interface Props {
  readonly id?: string
  readonly saved: PostFields
}

export function PostForm({ id, saved }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const { value, base, changed, set, accept } = useDraft(saved)
  const [tried, setTried] = useState(false)
  const title = useRef<HTMLInputElement>(null)
  const length = value.title.trim().length
  const wrong = length === 0 || length > postLimits.titleMax
  const save = useAction({
    id: 'post',
    call: async (_after: 'view' | 'stay') => {
      if (id === undefined) return { id: await call(createPost, { body: postBody(value) }), stored: undefined }
      const put = (body: PostFields) => call(updatePost, { params: { id }, body: { ...body, tags: [...body.tags] } })
      return { id, stored: await storePost(put, value, base) }
    },
    done: (_, after) => (after === 'view' ? undefined : t(id === undefined ? 'posts.created' : 'admin.saved')),
    failed: t('admin.notSaved'),
    onDone: async ({ id: made, stored }, after) => {
      void queries.invalidateQueries({ queryKey: keys.posts.list })
      void queries.invalidateQueries({ queryKey: keys.posts.latest })
      if (stored) {
        queries.setQueryData(postQuery(made).queryKey, stored)
        // Before the navigation, so that the guard of unsaved work does not open.
        flushSync(() => accept(postFields(stored)))
        if (after === 'view' && isHere()) await navigate(paths.post(made))
        return
      }
      if (isHere()) await navigate(paths.editPost(made), { replace: true })
    },
  })
  useUnsavedWarning(changed.length > 0 && !save.busy)

  const submit = async (after: 'view' | 'stay' = 'stay') => {
    setTried(true)
    if (wrong) return title.current?.focus()
    if (id === undefined || changed.length > 0) await save.start(after)
  }
  const view = async () => {
    if (id === undefined) return
    if (changed.length === 0) return navigate(paths.post(id))
    const yes = await confirm({ title: t('posts.saveFirst'), text: t('posts.saveFirstText'), confirm: t('ui.save') })
    if (yes) await submit('view')
  }
  useKeys([{ key: 'mod+s', name: t('ui.save'), act: () => void submit() }], true)
  return (
    <form
      className={c.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
      onKeyDown={(event) => {
        // A new post is public at once: Enter in one of its fields must not publish an unfinished one.
        const isTyping = event.target instanceof HTMLInputElement && !event.nativeEvent.isComposing
        if (id === undefined && event.key === 'Enter' && isTyping) event.preventDefault()
      }}
    >
      <PageHead title={id === undefined ? t('posts.new') : t('posts.edit')}>
        {id !== undefined && (
          <>
            <DeletePost id={id} title={base.title} />
            <Button variant="default" onClick={() => void view()}>
              {t('posts.view')}
            </Button>
          </>
        )}
        <ActionButton action={save} type="submit" disabled={id !== undefined && changed.length === 0}>
          {t(id === undefined ? 'posts.create' : 'ui.save')}
        </ActionButton>
      </PageHead>
      <TitleField ref={title} value={value.title} tried={tried} busy={save.busy} onChange={(text) => set({ title: text })} />
      <Fields value={value} set={set} busy={save.busy} />
    </form>
  )
}

interface FieldsProps {
  readonly value: PostFields
  readonly set: (part: Partial<PostFields>) => void
  readonly busy: boolean
}

function Fields({ value, set, busy }: FieldsProps) {
  const { t } = useTranslation()
  return (
    <>
      <div className={c.pair}>
        <TagsInput
          label={t('posts.tags')}
          placeholder={value.tags.length === 0 ? t('posts.tagAdd') : undefined}
          acceptValueOnBlur
          clearable
          clearButtonProps={{ 'aria-label': t('posts.tagsClear') }}
          maxTags={postLimits.tagsMax}
          maxLength={postLimits.tagMax}
          value={[...value.tags]}
          disabled={busy}
          onChange={(tags) => set({ tags: tags.map((tag) => tag.trim()).filter(Boolean) })}
        />
        <Switch
          label={t('posts.pin')}
          checked={value.isPinned}
          disabled={busy}
          onChange={(event) => set({ isPinned: event.currentTarget.checked })}
        />
      </div>
      <MarkdownField
        label={t('posts.summary')}
        rows={3}
        maxLength={postLimits.summaryMax}
        value={value.summary}
        disabled={busy}
        onChange={(summary) => set({ summary })}
      />
      <MarkdownField
        label={t('posts.content')}
        rows={16}
        maxLength={textLimits.markdownMax}
        value={value.content}
        disabled={busy}
        onChange={(content) => set({ content })}
      />
    </>
  )
}

interface TitleProps {
  readonly ref: Ref<HTMLInputElement>
  readonly value: string
  readonly tried: boolean
  readonly busy: boolean
  readonly onChange: (title: string) => void
}

function TitleField({ ref, value, tried, busy, onChange }: TitleProps) {
  const { t } = useTranslation()
  const length = value.trim().length
  return (
    <TextInput
      ref={ref}
      label={t('posts.postTitle')}
      value={value}
      disabled={busy}
      error={
        length > postLimits.titleMax
          ? t('posts.titleLong', { max: postLimits.titleMax, count: length })
          : tried && length === 0 && t('posts.titleMissing')
      }
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
