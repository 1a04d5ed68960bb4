package import Catalogues
public import ContentGate
package import Deliveries
import EdgeTokens
package import Foundation
package import FrontDoors
public import Gatefold
public import Primitives
package import Push
import Settings

/// One publication as configured.
public struct PublicationConfiguration: Sendable {
    /// What front doors know of the publication, with their settings.
    package let outline: PublicationOutline
    /// A Boolean value that indicates whether the publication also handles calls that name no publication.
    public let isDefault: Bool
    /// The name of the publication's backend.
    public let backend: String
    /// The secrets of the edition credentials, shared with the system that checks downloads.
    public let editionSecrets: SecretRing
    public let tokenSecrets: SecretRing
    public let acceptsPlainSalts: Bool
    /// The age in seconds of the revocations from which sign-ins, renewals and edition credentials are unavailable.
    package let maxRevocationAge: TimeInterval
    /// The push notification settings; nil if the publication sends none.
    package let push: PushSettings?
    /// The purchase settings; nil if the publication sells in no app store.
    public let purchases: PurchaseSettings?
    package let catalogue: CatalogueSettings
    /// The delivery settings of purchases; nil if nothing is delivered.
    package let deliveries: DeliverySettings?

    init(
        name: String, in publications: SettingsSection, backends: [BackendConfiguration],
        stores: [StoreConfiguration] = [], registry: FrontDoorRegistry = .standard
    ) throws(SettingsError) {
        let reserved = Self.reservedPathSegments(registry)
        guard let id = PublicationID(name), !reserved.contains(name) else {
            throw publications.error(
                name, expected: "expected a name of lower-case letters, digits, - and _ that is not the name of a call")
        }
        let section = try publications.section(name)
        isDefault = try section.boolean("default", default: false)
        let isTest = try section.boolean("test", default: false)
        backend = try section.requiredString("backend", expected: "the name of a backend")
        guard backends.contains(where: { $0.name == section.writtenBackend }) else {
            throw section.error(
                "backend", expected: "expected one of the backends \(backends.map(\.name).joined(separator: ", "))")
        }
        guard let editionSecrets = try section.secretRing("secrets") else {
            throw section.error("secrets", expected: "missing; expected {file: PATH} or {env: NAME}, or a list of them")
        }
        self.editionSecrets = editionSecrets
        tokenSecrets = try section.secretRing("token_secrets") ?? editionSecrets

        let apps = try section.strings("apps") ?? []
        if let app = apps.first(where: { $0.isEmpty || $0.utf8.count > 255 }) {
            throw section.error("apps", expected: "expected bundle identifiers or package names, not `\(app)`")
        }
        purchases = try PurchaseSettings(section, stores: stores)
        push = section.has("push") ? try PushSettings(try section.section("push")) : nil

        let credentials = try section.section("edition_credentials")
        var lifetimes = Lifetimes()
        // A sealed salt stores its expiry in minutes, so it cannot express a lifetime of less than one minute.
        lifetimes.editionCredentials = try credentials.duration("lifetime", default: 86_400, in: 60...3_888_000)
        lifetimes.downloadToken = try credentials.duration(
            "download_token_lifetime", default: lifetimes.downloadToken, in: 60...86_400)
        lifetimes.resumeWindow = try credentials.duration("resume_window", default: 21_600, in: 0...604_800)
        let saltFormat: SaltFormat = try credentials.choice("salt", default: .sealed)
        acceptsPlainSalts = try credentials.boolean("accept_plain_salts", default: saltFormat == .plain)
        if saltFormat == .plain && !acceptsPlainSalts {
            throw credentials.error("accept_plain_salts", expected: "expected true where plain salts are issued")
        }
        try credentials.finish()

        let tokens = try section.section("tokens")
        lifetimes.token = try tokens.duration("lifetime", default: lifetimes.token, in: 60...315_360_000)
        lifetimes.renewalWindow = try tokens.duration(
            "renewal_window", default: lifetimes.renewalWindow, in: 0...315_360_000)
        try tokens.finish()

        maxRevocationAge = try section.duration("max_revocation_age", default: 86_400, in: 10...315_360_000)

        let failOpen = try section.section("fail_open")
        let failsOpen = try failOpen.boolean("enabled", default: false)
        lifetimes.failOpenCredentials = try failOpen.duration("lifetime", default: 600, in: 60...86_400)
        try failOpen.finish()

        let devices = try section.section("devices")
        let deviceField = try devices.string("field")
        var deviceLimit: DeviceLimit?
        if devices.has("max") {
            guard deviceField != nil else {
                throw devices.error("max", expected: "needs `field`, the request field that names the device")
            }
            deviceLimit = DeviceLimit(
                maxDevices: try devices.integer("max", default: 1, in: 1...1000),
                onLimit: try devices.choice("on_limit", default: .evict))
        } else if devices.has("on_limit") {
            throw devices.error("on_limit", expected: "needs `max`, the number of devices allowed")
        }
        let requiresDevice = try devices.boolean("required", default: false)
        if requiresDevice && deviceField == nil {
            throw devices.error("required", expected: "needs `field`, the request field that names the device")
        }
        try devices.finish()

        catalogue = try CatalogueSettings(section)
        let publication = Publication(
            id: id, credentialFields: try CredentialFields(try section.section("credentials"), isTest: isTest),
            rule: try EntitlementRule(section, catalogue, isTest: isTest), lifetimes: lifetimes, saltFormat: saltFormat,
            deviceField: deviceField,
            deviceLimit: deviceLimit, requiresDevice: requiresDevice,
            issuesFeedPassword: try section.boolean("feed_password", default: false),
            failsOpen: failsOpen, messages: try Messages(try section.section("messages")),
            hasDebugNotes: try section.boolean("debug_comments", default: false),
            edgeToken: JoinedEdgeTokens(try EdgeTokenSettings.read(section)))
        let soldIn = purchases?.stores ?? []
        let kinds = Set(stores.filter { soldIn.contains($0.name) }.compactMap(\.kind))
        deliveries =
            section.has("deliveries") ? try DeliverySettings(try section.section("deliveries")) : nil
        var outline = PublicationOutline(
            publication, isTest: isTest, apps: apps,
            content: try ContentLayout(section, publication: id, reserved: reserved), storeKinds: kinds,
            reservedPathSegments: reserved)
        outline.frontDoors = try registry.settings(in: section, of: outline)
        self.outline = outline
        try section.finish()
    }

    public var publication: Publication { outline.publication }
    /// A Boolean value that indicates whether only test readers sign in here. Only such a publication may use the
    /// test backend.
    public var isTest: Bool { outline.isTest }
    /// The apps of this publication, by bundle identifier or package name. Front doors that receive an app's
    /// identifier find the publication by it.
    public var apps: [String] { outline.apps }
    /// The content layout; nil if Gatefold neither serves nor checks this publication's downloads.
    public var content: ContentLayout? { outline.content }
    /// The settings of the publication's front doors.
    package var frontDoors: FrontDoorSettings { outline.frontDoors }

    /// The names of calls and of Gatefold's own paths, which no publication may have, because a publication must
    /// not take over a path such as `/sign_in/`.
    static let reserved = reservedPathSegments(.standard)

    private static func reservedPathSegments(_ registry: FrontDoorRegistry) -> Set<String> {
        registry.pathSegments.union(["content", "auth-request", "healthz", "readyz", "metrics"])
    }

    func sharesSecret(with other: PublicationConfiguration) -> Bool {
        let ours = editionSecrets.all + tokenSecrets.all
        let theirs = other.editionSecrets.all + other.tokenSecrets.all
        return ours.contains { secret in theirs.contains { isEqualInConstantTime($0.bytes, secret.bytes) } }
    }
}

extension SettingsSection {
    fileprivate var writtenBackend: String { (try? string("backend")) ?? "" }
}

extension CredentialFields {
    fileprivate init(_ section: SettingsSection, isTest: Bool) throws(SettingsError) {
        if isTest {
            try section.finish()
            self.init(
                identifier: "username", proofs: ["password"], optional: ["username", "password"])
            return
        }
        let identifier = try section.string("identifier", default: "username")
        let proofs = try section.strings("proofs") ?? ["password"]
        let all = [identifier] + proofs
        guard Set(all).count == all.count, !all.contains(where: { $0.isEmpty || ["token", "product_id"].contains($0) })
        else {
            throw section.error("proofs", expected: "expected different names, none of them token or product_id")
        }
        try section.finish()
        self.init(identifier: identifier, proofs: proofs)
    }
}

extension EntitlementRule {
    fileprivate init(
        _ section: SettingsSection, _ catalogue: CatalogueSettings, isTest: Bool
    ) throws(SettingsError) {
        let policy: EntitlementPolicy = try section.choice("policy", default: .issueBased)
        let grace = try section.section("grace")
        let rules = GraceRules(
            previousOfHeld: try grace.integer("previous_of_held", default: 0, in: 0...1000),
            newestForActive: try grace.integer("newest_for_active", default: 0, in: 0...1000))
        try grace.finish()
        self.init(policy: policy, grace: rules, catalogue: catalogue.written, omitsInactiveList: isTest)
    }
}

extension Messages {
    fileprivate init(_ section: SettingsSection) throws(SettingsError) {
        let language = try section.string("default_language", default: "en").lowercased()
        var texts: [String: [MessageKey: String]] = [:]
        for name in section.names where name != "default_language" {
            let messages = try section.section(name)
            for key in MessageKey.allCases {
                if let text = try messages.string(key.rawValue) { texts[name.lowercased(), default: [:]][key] = text }
            }
            try messages.finish()
        }
        try section.finish()
        self.init(texts, defaultLanguage: language)
    }
}
