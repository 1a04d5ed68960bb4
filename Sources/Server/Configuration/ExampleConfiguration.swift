/// The text that `gatefold config example` prints: every key, its meaning and its default.
public enum ExampleConfiguration {
    public static let text = """
        # Gatefold's configuration. Paths are relative to its folder. Times are written 90s, 15m, 12h or 30d.
        # An environment variable overrides a value: GATEFOLD__SERVER__LISTEN=0.0.0.0:80 sets server.listen.
        # A secret is a reference, never a value: {file: PATH} or {env: NAME}. `gatefold secret new` creates one.
        # `gatefold config check` validates the configuration. A running server reloads it on SIGHUP.
        # An omitted key has the value shown here, unless its comment gives another default.

        server:
          # The address of the listener for apps.
          listen: 127.0.0.1:8080
          # The public URL of Gatefold. Baker and Basispress apps are redirected to URLs below it. Default: none.
          # public_url: https://editions.example.com
          # The address of the listener for health checks, Prometheus metrics and the admin API, or a Unix socket such as
          # unix:/run/gatefold/admin.sock. The API responds without TLS to this machine only. Default: no such listener.
          admin_listen: 127.0.0.1:8081
          # Serves the admin listener over TLS. Default: no TLS.
          # admin_tls: {certificate: fullchain.pem, key: privkey.pem}
          # Serves HTTP/2 over TLS. The files are reloaded on SIGHUP. `gatefold config check` rejects an expired
          # certificate; the server uses it, and logs a warning from 14 days before its expiry. Default: no TLS.
          # tls: {certificate: fullchain.pem, key: privkey.pem}
          # The proxies whose X-Forwarded-For is trusted. They and this machine may also use the auth-request endpoint.
          # All clients behind an unlisted proxy count as one. List a proxy on this machine too: [127.0.0.1, "::1"].
          trusted_proxies: []
          # The maximum time that requests in flight may take at shutdown. Default: 30s. Range: 1s to 1h.
          shutdown_grace: 30s
          # Limits for all clients. A request beyond a limit gets a 503 with Retry-After. A client is an IPv4 address or
          # the /64 of an IPv6 address. The limits per client do not apply to trusted proxies and this machine.
          limits:
            # Concurrent requests. Each takes about 60 KB. Default: 2048. Range: 16 to 1000000.
            max_requests: 2048
            # Concurrent requests of one client. Default: 256. Range: 1 to 1000000.
            max_requests_per_address: 256
            # Concurrent requests of one HTTP/2 connection. Reset requests count until their work ends. Default: 100.
            # Range: 1 to 1000000.
            max_requests_per_connection: 100
            # Connections of one client. Default: a quarter of the connections that `ulimit -Hn` allows, at least 16.
            # Range: 1 to 1000000.
            # max_connections_per_address: 1000
            # Memory for request bodies, except the first 8 KB of each. One client may use a quarter. Default: 64MB.
            # Range: 4MB to 64GB.
            body_memory: 64MB
            # Memory for the bodies of store notifications. Default: 16MB. Range: 8MB to 64GB.
            notification_body_memory: 16MB

        log:
          level: info          # trace, debug, info, notice, warning, error or critical
          format: automatic    # automatic (text on a terminal, otherwise JSON), text or json

        # Gatefold's own state, such as devices and revocations.
        state:
          # The SQLite file of the state.
          path: state/state.sqlite
          # For several servers, instead of the path:
          # kind: postgresql
          # folder: state              # the files that this server keeps for itself
          # schema: gatefold
          # node_url: http://10.0.0.5:9090  # where the other servers reach the admin listener of this one
          # connection:
          #   hosts: [db1.example.com, db2.example.com]
          #   database: gatefold
          #   user: gatefold
          #   password: {file: secrets/postgresql}
          # pool: {size: 10}
          # The key of the pseudonyms in logs and in the state. It cannot be rotated.
          pseudonym_secret: {file: secrets/pseudonyms}
          # New push tokens accepted per app and hour. Apps send theirs at every launch. Default: 50000.
          # Range: 1 to 10000000.
          push_tokens_per_hour: 50000
          # Sessions that one subscriber may open per hour, at all nodes together. Default: 600. Range: 10 to 10000000.
          sessions_per_hour: 600

        # The number of failed login attempts allowed per window.
        login_throttle:
          # Per sign-in identifier. Default: 10. Range: 1 to 1000000.
          per_identifier: 10
          # Per client address. Default: 100. Range: 1 to 1000000.
          per_address: 100
          # Per client network. Default: 1000. Range: 1 to 10000000.
          per_network: 1000
          # For all clients behind a proxy in a private network that trusted_proxies does not list. Default: 10000.
          # Range: 1 to 10000000.
          per_unlisted_proxy: 10000
          # Per known device or address of a reader whose identifier is throttled. Default: 5. Range: 1 to 1000000.
          per_known_device: 5
          # The length of the window. Default: 15m. Range: 1s to 1d.
          window: 15m
          # The prefix length of an IPv6 client address. Default: 64. Range: 32 to 128.
          ipv6_prefix: 64
          # The prefix length of an IPv6 client network. Default: 48. Range: 16 to 128.
          ipv6_network_prefix: 48
          # The time for which an address stays known after a successful sign-in. Default: 1d. Range: 0s to 365d.
          known_device_ttl: 1d
          # The number of readers and addresses that are tracked. Default: 200000. Range: 1000 to 10000000.
          capacity: 200000

        passwords:
          # Threads that verify passwords. They limit the CPU time spent on sign-ins. Default: 2. Range: 1 to 64.
          workers: 2
          # The cost of new hashes. Each step doubles time and memory. Default: 5. Range: 1 to 11.
          cost: 5
          # The secret of the fast hashes that `subscribers import --password-format keyed` creates. Default: none.
          # pepper: {file: secrets/pepper}

        # What happened to each reader, as `gatefold timeline` shows it.
        timeline:
          # Whether events are recorded. Default: true.
          enabled: true
          # The time after which an event is deleted. Default: 90d. Range: 1d to 3650d.
          retention: 90d
          # The number of events of one reader, a quarter in each category. Older ones are deleted. Default: 500.
          # Range: 10 to 100000.
          events_per_reader: 500

        # E-mail to readers over SMTP. `gatefold mail send-test` tests it. Default: no e-mail is sent.
        # mail:
        #   server: smtp://mail.example.com:587   # smtp:// requires STARTTLS; smtps:// uses TLS from the start
        #   from: The Daily <news@daily.example>
        #   user: gatefold
        #   password: {file: secrets/mail}
        #   tls: required            # required or none. Default: none for a server on this machine, otherwise required
        #   ca: mail-ca.pem          # replaces the trusted authorities of the system
        #   timeout: 60s             # per message. Default: 60s. Range: 1s to 10m
        #   max_queued: 1000         # messages in the queue, which is in memory. Default: 1000. Range: 1 to 100000
        #   max_connections: 2       # concurrent connections of this node to the mail server. Default: 2. Range: 1 to 20

        # The MQTT broker that sends account notifications to apps. Default: no notifications are sent.
        # notifications:
        #   broker: mqtts://broker.example.com     # mqtts://, mqtt://, wss:// or ws://
        #   user: gatefold
        #   password: {file: secrets/broker}
        #   ca: broker-ca.pem        # replaces the trusted authorities of the system
        #   certificate: client.pem  # a client certificate, if the broker requires one
        #   key: client.key
        #   client_id: gatefold-1    # unique per process. Default: generated at each start
        #   endpoint: notices.daily.example        # where apps connect over wss, with a port unless it is 443
        #   region: eu-west-1        # the region name with which apps sign
        #   max_queued: 10000        # queued while the broker is unreachable. Default: 10000. Range: 1 to 1000000

        backends:
          # The embedded subscriber database. See `gatefold subscribers --help`.
          house:
            kind: sqlite
            path: state/subscribers.sqlite
            # The request field that is compared with the stored hash.
            proof: password
            # Whether case and white space of the proof are folded. For names such as a surname, never for passwords.
            proof_folds: false
            # Whether the proof is verified. With false the identifier alone is enough.
            check_proof: true
          # A backend outside this process also has the section `protection`: deadline, concurrency, breaker and cache.
          # See the documentation of its kind, and Protection.
          # The test readers of the test publication.
          made-up:
            kind: test

        # The app stores. For the keys of each kind see the documentation: Apple, Google Play and Amazon Appstore.
        # stores:
        #   app-store:
        #     kind: apple
        #     bundles: [com.example.daily]
        #     environments: [production]      # add sandbox if a publication allows it
        #     roots: [AppleIncRootCertificate.cer, AppleRootCA-G3.cer]
        #   play: {kind: google, package: com.example.daily, public_key: MIIB…}
        #   amazon: {kind: amazon, shared_secret: {file: secrets/amazon}}

        publications:
          daily:
            # Whether the publication also handles calls without its name in the path, such as /sign_in.
            # Default: true for the only publication, otherwise false.
            default: true
            backend: house
            # The request fields with which readers sign in. Default: username and password.
            credentials:
              identifier: email
              proofs: [password]
            # The editions that a subscription opens. Default: issue.
            # access: all while the subscription is active, otherwise the editions that the backend lists.
            # issue: the editions that the backend lists.
            # period: the editions published during a subscription period, and those that the backend lists.
            # backend: exactly the entitlement that the backend reports.
            policy: period
            grace:
              # The number of editions before each owned edition that are also opened. Default: 0. Range: 0 to 1000.
              previous_of_held: 0
              # The number of newest editions that are also opened for an active reader. Default: 0. Range: 0 to 1000.
              newest_for_active: 0
            tokens:
              # Default: 30d. Range: 1m to 3650d.
              lifetime: 30d
              # The time after expiry during which a token can be renewed. Default: 60d. Range: 0s to 3650d.
              renewal_window: 60d
            edition_credentials:
              # sealed: expires, can be revoked, and names the reader in the gate's log. plain: random, never expires.
              # Default: sealed.
              salt: sealed
              # Default: 1d. Range: 1m to 45d.
              lifetime: 1d
              # The time after expiry during which a download may be resumed, but not started. Default: 6h.
              # Range: 0s to 7d.
              resume_window: 6h
              # The lifetime of a token in the URL to which an app is redirected for a download. Default: 10m.
              # Range: 1m to 1d.
              download_token_lifetime: 10m
              # Whether the gate also accepts plain salts, for example those issued before `salt: sealed`.
              # Default: false, or true with `salt: plain`.
              accept_plain_salts: false
            devices:
              # The request field that identifies the device. Default: none, and devices are not distinguished.
              field: device
              # Devices per subscriber. Default: no limit. Range: 1 to 1000.
              max: 5
              # evict: removes the least recently used device. reject: rejects the new device. Default: evict.
              on_limit: evict
              # Whether a sign-in without a device is rejected. With false an app can bypass the limit by omitting the
              # field. Default: false.
              required: false
            # For a state in PostgreSQL: the time for which the server can be unable to read the revocations of other
            # nodes until sign-ins, renewals and edition credentials are unavailable. Default: 1d. Range: 10s to 3650d.
            max_revocation_age: 1d
            # Issues short-lived edition credentials to holders of a valid token while the backend is unavailable.
            fail_open:
              enabled: false
              # Default: 10m. Range: 1m to 1d.
              lifetime: 10m
            # Whether sign-in returns the password of the feed (global_auth_password). Default: false.
            feed_password: false
            # Whether responses contain comments for the developer of the app. Default: false.
            debug_comments: false
            # The first secret signs, and all of them verify. To rotate, insert the new secret in front, and remove the
            # old one when its tokens and edition credentials have expired. An external gate needs the first secret.
            secrets:
              - {file: secrets/daily}
            # Separate secrets for tokens, so that an external gate cannot create tokens. Default: `secrets`.
            # token_secrets:
            #   - {file: secrets/daily-tokens}
            # Messages to the reader, by language. Keys: active, inactive, suspended, unknown, stale, no_token,
            # credentials_rejected, throttled, too_many_devices, device_required, token_rejected, token_expired,
            # not_entitled, no_edition, unavailable, purchase_incomplete, purchase_rejected, purchase_already_claimed,
            # product_rejected, purchase_unavailable. And, instead of not_entitled: subscription_lapsed,
            # unknown_edition, not_yet_published.
            messages:
              default_language: en
              de:
                inactive: Ihr Abonnement ist abgelaufen.
            # Request headers that the app must send with its downloads, for an edge that checks them. Default: none.
            edge_tokens:
              - {kind: static, name: X-Edition-App, value: daily}
              # - kind: akamai
              #   name: hdnts             # the name of the token
              #   placement: cookie       # or header
              #   key: {file: secrets/akamai}
              #   algorithm: sha256       # or sha1, md5
              #   acl: ["/content/daily/{edition}/*"]   # or: url: /content/daily/{edition}.zip
              #   salt: {file: secrets/akamai-salt}
              #   id: "{edition}"
              #   data: "{publication}"
              #   bind_address: false
              #   include_start_time: false
              #   escape_early: false
              #   window: 5m              # Default: 5m. Range: 1s to 45d
              # - kind: cloudfront
              #   resource: https://cdn.example.com/{publication}/{edition}*
              #   policy: custom          # or canned, for one URL
              #   key_pair_id: K2JCJMDEHXQW5F
              #   private_key: {file: secrets/cloudfront.pem}   # RSA 2048 or ECDSA P-256
              #   digest: sha1            # or sha256
              #   window: 1h
            # The downloads. Without this section Gatefold neither serves nor checks downloads.
            content:
              # The files of an edition are below PREFIX/EDITION/, its archive is PREFIX/EDITION.zip. The prefix must
              # not be /, and its first segment must be neither a publication nor the name of a call.
              prefix: /content/daily/
              # The directory of the files, if Gatefold serves them.
              root: editions/daily
              # Paths that need no credentials. * matches within a segment, ** matches any rest. Default: none.
              open: ["covers/**"]
              # Paths that need the password of the feed. See feed_password. Default: none.
              feed: ["feed.xml"]
              archives: [zip, pugpigpkg, hpub]
            # The apps of the publication, by bundle identifier or package name.
            # apps: [com.example.daily]
            # The stores in which the publication sells. See Purchases. Every submitted receipt is stored and verified.
            # stores: [app-store, play]
            # sandbox: false                  # whether purchases of test accounts are accepted
            # products:
            #   subscriptions:
            #     - {product: com.example.daily.monthly, title: Monthly}   # the store reports its period
            #     - {product: com.example.daily.season, lasts: 90d}        # or forever: if the store reports none
            #   rounding: exact               # exact, day or month: the unit to which periods are extended
            #   time_zone: UTC
            #   unlocks: published            # those of the period, for ever; or everything, while it runs
            # purchases:
            #   max_claims: 10                # persons per purchase. Default: 10. Range: 1 to 1000
            #   min_retry_delay: 1m           # while the store is unavailable. Default: 1m. Range: 1s to 1d
            #   max_retry_delay: 6h           # Default: 6h. Range: 1s to 7d
            #   max_pending_time: 30d         # then an unverified receipt is deleted. Default: 30d. Range: 1h to 365d
            #   unverified_per_owner: 100     # rejected or pending receipts. Default: 100. Range: 1 to 100000
            #   unverified_per_hour: 10000    # of the publication. Default: 10000. Range: 1 to 10000000
            #   max_pending: 20000            # pending receipts of up to 256 KiB. Default: 20000. Range: 1 to 10000000
            #   reverify_ended_every: 1h      # for an ended subscription, on request. Default: 1h. Range: 1m to 7d
            #   reverify_running_every: 1d    # for an active subscription. Default: 1d. Range: 10m to 30d
            #   reverify_window: 60d          # after the end of a subscription. Default: 60d. Range: 0s to 365d
            #   refund_window: 90d            # after a single purchase. Default: 90d. Range: 0s to 365d
            #   reverify_timeout: 5s          # the maximum delay of a response. Default: 5s. Range: 0s to 1m
            # Front doors in addition to Pugpig, each with its own article. Baker and Basispress need apps and content.
            # baker: {}
            # basispress: {}
            # cloud_softphone: {path: /daily/iap, store: apple}
            # inplayer:                       # for apps that use InPlayer's SDKs
            #   merchant: 528b1b80-5868-4abc-a9b6-4d3455d719c8
            #   client_ids: []                # in addition to the merchant's uuid
            #   access_token_lifetime: 1h     # Default: 1h. Range: 1m to 1d
            #   origins: ["*"]                # origins of pages whose scripts may call
            #   fees: [{product: "*", amount: 2.99, currency: EUR, description: Single edition}]
            # deliveries: {kind: webhook, url: "https://billing.example.com/credit", secret: {file: secrets/webhook}}
            # APNs notifications of new editions, and of `gatefold push`. See Push.
            # push:
            #   on_publish: false             # whether the server notifies apps of a new edition
            #   environment: production       # production or sandbox: the environment of the push tokens
            #   per_second: 500               # Default: 500. Range: 1 to 100000
            #   max_concurrent: 50            # Default: 50. Range: 1 to 1000
            #   ttl: 1d                       # how long APNs retries; 0s: one attempt. Default: 1d. Range: 0s to 30d
            #   timeout: 20s                  # Default: 20s. Range: 1s to 5m
            #   production_url: https://api.push.apple.com
            #   sandbox_url: https://api.sandbox.push.apple.com
            #   apps:
            #     com.example.daily:
            #       team: ABCDE12345
            #       key_id: XYZ9876543
            #       key: {file: secrets/apns.p8}
            #       content_name: true        # whether notifications name the edition
            # The catalogue as an Atom feed at /daily/feed.
            # feed: {title: The Daily}
            # For samples only: a page at / that makes the calls of an app and shows them, with the credentials of these
            # readers. It needs feed. Default: no page.
            # sample_app:
            #   readers:
            #     - {identifier: ada@example.com, proofs: [a password], about: Active subscription}
            # The editions to which periods, grace rules and free editions refer.
            # From a database or a feed: catalogue: {kind: postgresql, query: …, refresh: 15m}. See Catalogues.
            catalogue:
              - {id: com.example.daily.2026-10, title: October 2026, published: 2026-10-01, free: true}
              - {id: com.example.daily.2026-11, title: November 2026, published: 2026-11-01}

          # Test readers that show an app every case, including slow and malformed responses. No real readers sign in.
          # Omit this publication and its backend in production.
          test:
            test: true
            backend: made-up
            policy: backend
            edition_credentials: {salt: plain}
            secrets:
              - {file: secrets/test}
        """
}
