/// What `gatefold config example` prints: every key, its meaning and its default.
public enum ExampleConfiguration {
    public static let text = """
        # Gatefold's configuration. Paths are relative to this file's folder. Times are written 90s, 15m, 12h or 30d.
        # Every value can be overridden: GATEFOLD__SERVER__LISTEN=0.0.0.0:80 sets server.listen.
        # A secret is never written here: {file: PATH} or {env: NAME} says where it is. `gatefold secret new --out PATH`
        # makes one. `gatefold config check` says whether all of this can be used; SIGHUP makes a running server read it again.
        # A key that is left out has the value shown here, unless its comment says otherwise.

        server:
          listen: 127.0.0.1:8080
          # Under which the world reaches Gatefold; Baker and Basispress apps are sent to URLs that begin with it.
          # public_url: https://editions.example.com
          # Health and Prometheus metrics; no such listener unless it is said.
          admin_listen: 127.0.0.1:8081
          # HTTP/2 and TLS, read again on SIGHUP. `gatefold config check` refuses an expired certificate; the server serves with it,
          # and warns from fourteen days before the end.
          # tls: {certificate: fullchain.pem, key: privkey.pem}
          # Whose X-Forwarded-For is believed, and who beside this machine may use the auth-request endpoint. A proxy that is
          # not listed makes all its clients one; also one on this machine has to be: [127.0.0.1, "::1"].
          trusted_proxies: []
          # For so long requests in flight may go on at shutdown.
          shutdown_grace: 30s
          # What all clients may have under way; beyond it they get a 503 with Retry-After. A client is an IPv4 address or the
          # /64 of an IPv6 address; trusted proxies and this machine's own addresses are not limited as one client.
          limits:
            # Requests that are worked on, each with some 60 KB. Range: 16 to 1000000.
            max_requests: 2048
            # Those of one client. Range: 1 to 1000000.
            max_requests_per_address: 256
            # Those of one connection of HTTP/2, reset ones included until their work has ended. Range: 1 to 1000000.
            max_requests_per_connection: 100
            # Connections of one client. Default: a quarter of what `ulimit -Hn` leaves, 16 at least. Range: 1 to 1000000.
            # max_connections_per_address: 1000
            # The memory of request bodies, without the first 8 KB of each. One client has a quarter. Range: 4MB to 64GB.
            body_memory: 64MB
            # The same for store notifications. Range: 8MB to 64GB.
            notification_body_memory: 16MB

        log:
          level: info          # trace, debug, info, notice, warning, error, critical
          format: automatic    # text on a terminal and JSON elsewhere; or text, or json

        # What Gatefold itself remembers: devices, revocations.
        state:
          path: state/state.sqlite
          # The key of the pseudonyms in logs and in the state. It does not rotate.
          reference_secret: {file: secrets/references}
          # New push tokens of one app that are taken in within an hour; apps send theirs at every launch.
          push_tokens_per_hour: 50000
          # Sessions that one subscriber opens within an hour. Default: 600. Range: 10 to 10000000.
          sessions_per_hour: 600

        # Wrong attempts to sign in that are let through, per window.
        guessing:
          per_identifier: 10
          per_address: 100
          per_wide_block: 1000
          # Of all clients together behind a proxy in our own network that trusted_proxies does not list.
          per_unlisted_proxy: 10000
          # For a reader's own device or address, while somebody else tries their name.
          per_acquaintance: 5
          window: 15m
          ipv6_prefix: 64
          ipv6_wide_prefix: 48
          # For so long after a right sign-in its address counts as the reader's own.
          familiarity: 1d
          # How many readers and addresses are remembered.
          capacity: 200000

        passwords:
          # Threads that check passwords: the cap on what signing in may cost.
          workers: 2
          # Of new hashes, from 1 to 11; each step doubles time and memory.
          cost: 5
          # The secret of the fast hashes that `subscribers import --password-form keyed` makes.
          # pepper: {file: secrets/pepper}

        # Letters to readers, by SMTP; none are sent where this is not said. `gatefold mail send-test` tries it.
        # mail:
        #   server: smtp://mail.example.com:587   # STARTTLS is required; smtps://mail.example.com is TLS from the start
        #   from: The Daily <news@daily.example>
        #   user: gatefold
        #   password: {file: secrets/mail}
        #   tls: required            # or none, which is the default for a server on this machine
        #   ca: mail-ca.pem          # trusted in place of the system's authorities
        #   timeout: 60s             # for each letter
        #   queue: 1000              # letters that wait at most; they wait in memory
        #   connections: 2           # letters that are handed over side by side

        # The MQTT broker by which apps hear what concerns their accounts; they are told nothing where this is not said.
        # notifications:
        #   broker: mqtts://broker.example.com     # or mqtt://, ws://, wss://
        #   user: gatefold
        #   password: {file: secrets/broker}
        #   ca: broker-ca.pem        # trusted in place of the system's authorities
        #   certificate: client.pem  # Gatefold's own, where the broker asks for one
        #   key: client.key
        #   client_id: gatefold-1    # one of its own for each process; made at each start unless said
        #   endpoint: notices.daily.example        # where apps connect, by wss; with a port where it is not 443
        #   region: eu-west-1        # a name that apps are told and sign with
        #   queue: 10000             # notices that wait at most while the broker is away

        backends:
          # The embedded subscriber database; see `gatefold subscribers --help`.
          house:
            kind: sqlite
            path: state/subscribers.sqlite
            # The request field that is checked against the stored hash.
            proof: password
            # Whether it is folded first (case, white space): for names such as a surname, never for passwords.
            proof_folds: false
            # false: knowing the identifier is enough.
            check_proof: true
          # A backend outside this process also has the section `protection`: deadline, concurrency, breaker and cache. See
          # the documentation of its kind, and Protection.
          # The made-up readers of the test publication.
          made-up:
            kind: test

        # The app stores. Keys of each kind: see the documentation, Apple, Google Play and Amazon Appstore.
        # stores:
        #   app-store:
        #     kind: apple
        #     bundles: [com.example.daily]
        #     environments: [production]      # sandbox as well, where a publication allows it
        #     roots: [AppleIncRootCertificate.cer, AppleRootCA-G3.cer]
        #   play: {kind: google, package: com.example.daily, public_key: MIIB…}
        #   amazon: {kind: amazon, shared_secret: {file: secrets/amazon}}

        publications:
          daily:
            # Also answers calls without a publication in front: /sign_in as well as /daily/sign_in. False unless
            # said, but an only publication does so by itself.
            default: true
            backend: house
            # The request fields that readers sign in with; username and password unless said.
            credentials:
              identifier: email
              proofs: [password]
            # access: an active subscription opens everything, any other the editions listed. issue: the backend lists
            # the editions. period: every edition published while a subscription ran, and those listed. backend: the
            # backend's word is final. issue unless said.
            policy: period
            grace:
              # Also so many editions that came out before each one held.
              previous_of_held: 0
              # Also so many of the newest, for an active reader.
              newest_for_active: 0
            tokens:
              lifetime: 30d
              # For so long after its end a token can be renewed.
              renewal_window: 60d
            edition_credentials:
              # sealed: expires, can be revoked and names the reader in the gate's log. plain: random, good for ever.
              salt: sealed
              lifetime: 1d
              # For so long after the end a download may be resumed, but not begun.
              resume_window: 6h
              # Of those that travel in a URL, where an app is sent to its download.
              ticket_lifetime: 10m
              # Whether our gate takes plain salts, too, while older ones are still about.
              accept_plain_salts: false
            devices:
              # The request field that names the device; without it devices are not told apart.
              field: device
              # Without this any number.
              most: 5
              # evict: the device longest unused makes room. refuse: the new one is not let in.
              excess: evict
              # Whether a sign-in that names no device is refused: else leaving the field out is a way around the limit.
              required: false
            # While the backend can not be asked, whoever holds a good token gets short-lived edition credentials.
            fail_open:
              enabled: false
              lifetime: 10m
            # Hand out the password of the feed at sign-in (global_auth_password).
            feed_password: false
            # Comments in the answers for the app's developer.
            debug_comments: false
            # The first makes, all of them verify: put a new one in front and take the old one out when its tokens and
            # edition credentials have ended. Whoever checks downloads in your stead needs the first one.
            secrets:
              - {file: secrets/daily}
            # Tokens can have secrets of their own, so that those who check downloads can not make tokens.
            # token_secrets:
            #   - {file: secrets/daily-tokens}
            # Words to the reader, by language; keys: active, inactive, suspended, unknown, stale, no_token,
            # not_recognised, throttled, too_many_devices, device_required, token_not_recognised, token_expired, not_entitled, no_edition,
            # unavailable, purchase_incomplete, purchase_refused, purchase_of_another, product_refused, purchase_unavailable.
            messages:
              default_language: en
              de:
                inactive: Ihr Abonnement ist abgelaufen.
            # Request headers the app must send with its downloads, for an edge that checks them; none unless said.
            edge_tokens:
              - {kind: static, name: X-Edition-App, value: daily}
              # - kind: akamai
              #   name: hdnts             # the token's name
              #   carrier: cookie         # or header
              #   key: {file: secrets/akamai}
              #   algorithm: sha256       # or sha1, md5
              #   acl: ["/content/daily/{edition}/*"]   # or: url: /content/daily/{edition}.zip
              #   salt: {file: secrets/akamai-salt}
              #   id: "{edition}"
              #   data: "{publication}"
              #   bind_address: false
              #   state_start: false
              #   escape_early: false
              #   window: 5m
              # - kind: cloudfront
              #   resource: https://cdn.example.com/{publication}/{edition}*
              #   policy: custom          # or canned, for one URL
              #   key_pair_id: K2JCJMDEHXQW5F
              #   private_key: {file: secrets/cloudfront.pem}   # RSA 2048 or ECDSA P-256
              #   digest: sha1            # or sha256
              #   window: 1h
            # The downloads. Without this section Gatefold neither serves nor checks any.
            content:
              # An edition's files lie below PREFIX/EDITION/, its archive is PREFIX/EDITION.zip. The prefix is a path that
              # no call of an app begins with: not /, and its first part neither a publication nor the name of a call.
              prefix: /content/daily/
              # The directory the prefix stands for, when Gatefold itself serves the files.
              root: editions/daily
              # What passes without credentials: * stands for anything within a segment, ** for any rest. Nothing unless
              # said.
              open: ["covers/**"]
              # What needs the feed's password (see feed_password); nothing unless said.
              feed: ["feed.xml"]
              archives: [zip, pugpigpkg, hpub]
            # The apps that are this publication's, by bundle identifier or package name.
            # apps: [com.example.daily]
            # What is sold in the app stores; see Purchases. Any receipt handed in is kept and verified.
            # stores: [app-store, play]
            # sandbox: false                  # whether purchases of test accounts count
            # products:
            #   subscriptions:
            #     - {product: com.example.daily.monthly, title: Monthly}   # its time as the store says
            #     - {product: com.example.daily.season, lasts: 90d}        # or forever; where the store says none
            #   rounding: exact               # or day, month: how the time is widened
            #   time_zone: UTC
            #   unlocks: published            # while it ran, for ever; or everything, while it runs
            # purchases:
            #   claims_at_most: 10            # persons who may have one purchase
            #   shortest_retry: 1m            # of receipts whose store can not be asked
            #   longest_retry: 6h
            #   longest_wait: 30d             # then a receipt whose store can not be asked is forgotten
            #   unproven_per_owner: 100       # receipts refused or waiting
            #   unproven_per_hour: 10000      # of the publication
            #   waiting_at_most: 20000        # at once; one takes up to 256 KiB
            #   recheck_ended: 1h             # between two looks at one that has ended, when its reader comes
            #   recheck_running: 1d
            #   recheck_window: 60d           # for so long after its end a subscription is looked at
            #   refund_window: 90d            # for so long after it was bought a single purchase is
            #   patience: 5s                  # the longest a reader waits for such a look
            # Front doors beside Pugpig's, each with an article of its own; Baker and Basispress need apps and content.
            # baker: {}
            # basispress: {}
            # cloud_softphone: {path: /daily/iap, store: apple}
            # inplayer:                       # apps built on InPlayer's SDKs
            #   merchant: 528b1b80-5868-4abc-a9b6-4d3455d719c8
            #   client_ids: []                # besides the merchant's uuid
            #   access_token_lifetime: 1h
            #   origins: ["*"]                # pages whose scripts may call
            #   fees: [{product: "*", amount: 2.99, currency: EUR, description: Single edition}]
            # deliveries: {kind: webhook, url: "https://billing.example.com/credit", secret: {file: secrets/webhook}}
            # Notifications through APNs when an edition appears, and by `gatefold push`; see Push.
            # push:
            #   on_publish: false             # whether the server tells the apps of editions as they come out
            #   environment: production       # or sandbox: whose tokens are meant
            #   per_second: 500
            #   most_at_once: 50
            #   keep_for: 1d                  # for so long APNs tries to reach a device that is off; 0s: once
            #   timeout: 20s
            #   production_url: https://api.push.apple.com
            #   sandbox_url: https://api.sandbox.push.apple.com
            #   apps:
            #     com.example.daily:
            #       team: ABCDE12345
            #       key_id: XYZ9876543
            #       key: {file: secrets/apns.p8}
            #       content_name: true        # whether notifications name the edition
            # The catalogue as an Atom feed, at /daily/feed.
            # feed: {title: The Daily}
            # The editions: what periods, grace rules and free editions refer to.
            # From a database or a feed: catalogue: {kind: postgresql, query: …, refresh: 15m}; see Catalogues.
            catalogue:
              - {id: com.example.daily.2026-10, title: October 2026, published: 2026-10-01, free: true}
              - {id: com.example.daily.2026-11, title: November 2026, published: 2026-11-01}

          # Made-up readers that show an app every case, slow and broken answers included. Nothing real stands here: leave
          # it and its backend out where real readers sign in.
          test:
            test: true
            backend: made-up
            policy: backend
            edition_credentials: {salt: plain}
            secrets:
              - {file: secrets/test}
        """
}
