import { AwsV4Signer } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import type { S3Address } from './s3-address.ts';
import { encodeKey } from './s3-address.ts';
import { StoreAway, StoreRefusal } from './store-calls.ts';
import type { StoreCall, StoreProtocol } from './store-transport.ts';

/** Calls whose answer tells of one object: a page of a gateway has no entity tag. */
const objectKinds = new Set(['head', 'get', 'put', 'part']);

const parser = new XMLParser({
  parseTagValue: false,
  isArray: (name) => ['Contents', 'Upload'].includes(name),
});

/** The documents of S3, as far as they are read. */
interface S3Document {
  ListBucketResult?: {
    Contents?: { Key: string; Size: string; LastModified: string; ETag?: string }[];
    IsTruncated?: string;
    NextContinuationToken?: string;
  };
  ListMultipartUploadsResult?: {
    Upload?: { Key: string; UploadId: string; Initiated: string }[];
    IsTruncated?: string;
    NextKeyMarker?: string;
    NextUploadIdMarker?: string;
  };
  InitiateMultipartUploadResult?: { UploadId?: string };
  Error?: { Code?: string };
}

/** @throws StoreRefusal for an error behind a success; StoreAway for a page of a gateway */
export function readDocument(text: string, kind: string): S3Document {
  const document = parser.parse(text) as S3Document;
  // A long call is answered with 200 before it is known how it ends.
  if (document.Error !== undefined) throw new StoreRefusal(500, document.Error.Code ?? '', kind);
  // A gateway may answer with a page of its own, which is no empty listing.
  if (!Object.keys(document).some((name) => name.endsWith('Result')))
    throw new StoreAway('The store answered with another document.');
  return document;
}

/** Signs calls by version 4 of the signatures of AWS. */
export class S3Protocol implements StoreProtocol {
  private readonly at: S3Address;
  private readonly signingKeys = new Map<string, ArrayBuffer>();

  constructor(at: S3Address) {
    this.at = at;
  }

  async address({ method, key, query, headers }: StoreCall, now: number): Promise<{ url: string; headers: Headers }> {
    const { origin, bucket, prefix, region, keyId, secret } = this.at;
    const path = key === undefined ? '' : `/${encodeKey(prefix + key)}`;
    const url = `${origin}/${bucket}${path}${query === undefined ? '' : encodeQuery(query)}`;
    const datetime = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const signed = await new AwsV4Signer({
      ...{ method, url, headers, region, datetime, service: 's3', cache: this.signingKeys },
      ...{ accessKeyId: keyId, secretAccessKey: secret },
    }).sign();
    return { url: signed.url.toString(), headers: signed.headers };
  }

  isAnswer({ kind }: StoreCall, headers: Pick<Headers, 'has'>): boolean {
    return !objectKinds.has(kind) || headers.has('etag');
  }

  codeOf(text: string): string {
    return parseQuietly(text).Error?.Code ?? '';
  }
}

/** A gateway may answer with a page, or with nothing. */
function parseQuietly(text: string): S3Document {
  try {
    return parser.parse(text) as S3Document;
  } catch {
    return {};
  }
}

function encodeQuery(query: Readonly<Record<string, string>>): string {
  const encode = (text: string) => encodeKey(text).replaceAll('/', '%2F');
  return `?${Object.entries(query)
    .map((pair) => pair.map(encode).join('='))
    .join('&')}`;
}
