import { ActionIcon, Pagination } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { deleteFile, type StoredFile } from '@vexil/contract/files'
import { Link, useSearchParams } from 'react-router'
import { call } from '../../api/client.ts'
import { paths, withParts } from '../../shell/paths.ts'
import { formatBytes } from '../../ui/base/bytes.ts'
import { CopyText } from '../../ui/base/copy.tsx'
import { QueryView } from '../../ui/base/states.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormSection, Wide } from '../../ui/fields/form-section.tsx'
import { ConfirmPopover } from '../../ui/overlays/confirm-popover.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import { filePage, filesQuery, useFilesChanged } from '../site-admin.queries.ts'
import { pageOf, useExistingPage } from '../use-list-address.ts'
import c from './settings.module.css'

export function FileSection() {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const page = pageOf(query.get('files'))
  const files = useQuery(filesQuery(page))
  useExistingPage(files, { page, size: filePage, name: 'files' })
  return (
    <FormSection id="files" title={t('admin.files.title')} help={t('admin.files.help')}>
      <Wide>
        <QueryView query={files}>
          {({ data, total }) => (
            <>
              {data.length === 0 && <p className="dim">{t('admin.files.none')}</p>}
              {data.length > 0 && <Files files={data} />}
              <div className={c.more}>
                <span className="num" role="status">
                  {t('admin.shownOf', { shown: data.length, total })}
                </span>
                {total > filePage && (
                  <Pagination
                    size="sm"
                    total={Math.ceil(total / filePage)}
                    value={page}
                    onChange={(to) => setQuery((now) => withParts(now, { files: to > 1 ? String(to) : null }))}
                  />
                )}
              </div>
            </>
          )}
        </QueryView>
      </Wide>
    </FormSection>
  )
}

function Files({ files }: { readonly files: readonly StoredFile[] }) {
  const { t } = useTranslation()
  return (
    <table className={c.files}>
      <thead>
        <tr>
          {(['name', 'hash', 'size', 'uploaded', 'uses', 'actions'] as const).map((column) => (
            <th key={column} scope="col" className={c[column]}>
              <span className={column === 'actions' ? 'unseen' : undefined}>{t(`admin.files.column.${column}`)}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <FileRow key={file.hash} file={file} />
        ))}
      </tbody>
    </table>
  )
}

function FileRow({ file: { hash, name, fileSize, references, uses, uploadTime } }: { readonly file: StoredFile }) {
  const { t } = useTranslation()
  const changed = useFilesChanged()
  const remove = useAction({
    id: `file-${hash}`,
    call: async () => call(deleteFile, { params: { hash } }),
    done: t('admin.files.deleted', { name }),
    failed: t('admin.notDeleted'),
    onDone: changed,
  })
  return (
    <tr>
      <td className={c.name}>
        <span className={`${c.file} cut`} title={name}>
          {name}
        </span>
      </td>
      <td className={c.hash}>
        <CopyText text={hash} label={`${t('admin.files.copyHash')} ${hash.slice(0, 12)}`}>
          {hash.slice(0, 12)}
        </CopyText>
      </td>
      <td className="num">{formatBytes(fileSize)}</td>
      <td className={c.uploaded}>
        <When at={uploadTime} style="day" />
      </td>
      <td className={c.uses}>
        {references === 0 && t('admin.files.unused')}
        {uses.map((use, i) => (
          <span key={`${use.use} ${use.gameId} ${use.challengeId} ${use.name}`} className={c.use}>
            <UseLink use={use} />
            {i === uses.length - 1 &&
              references > uses.length &&
              ` ${t('admin.files.more', { count: references - uses.length })}`}
          </span>
        ))}
      </td>
      <td>
        {references === 0 && (
          <ConfirmPopover
            title={t('admin.files.deleteTitle', { name })}
            text={t('admin.files.deleteText')}
            confirm={t('ui.delete')}
            harmful
            onConfirm={() => void remove.start()}
          >
            {(open) => (
              <ActionIcon aria-label={t('admin.files.deleteOne', { name })} onClick={open}>
                <IconTrash size={18} stroke={1.6} />
              </ActionIcon>
            )}
          </ConfirmPopover>
        )}
      </td>
    </tr>
  )
}

function UseLink({ use: { use, name, gameId, challengeId } }: { readonly use: StoredFile['uses'][number] }) {
  const { t } = useTranslation()
  const { game, challenge, teams, usersNamed } = paths.admin
  const text = t(`admin.files.use.${use}`, { name })
  const to = {
    Account: usersNamed(name),
    Team: teams,
    Game: game(gameId ?? 0),
    Challenge: challenge(gameId ?? 0, challengeId ?? 0),
    Writeup: game(gameId ?? 0, 'Writeups'),
    Site: undefined,
  }[use]
  return to ? (
    <Link className="link" to={to}>
      {text}
    </Link>
  ) : (
    text
  )
}
