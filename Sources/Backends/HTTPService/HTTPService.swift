import OutgoingRequests
import Primitives
import Settings

/// A configured subscriber service: its calls and the values that they send.
struct HTTPService: Sendable {
    /// One of several sets of constants for the calls, such as the constants of one brand.
    struct Variant: Sendable {
        /// The name of the variant, or nil when there is only one variant.
        let name: String?
        let constants: [String: String]
    }

    /// The rule that selects the reader's variant among the variants that authenticate the reader.
    enum Preference: String, Sendable, CaseIterable {
        case first
        /// The first variant with an active subscription, otherwise the last variant that authenticates the reader.
        case active
    }

    let identifier: String
    let proofs: [String]
    let variants: [Variant]
    let preference: Preference
    let key: PlaceholderTemplate
    let authorization: AuthorizationSettings
    let mapping: SubscriptionMapping
    let calls: [ServiceCall.Purpose: ServiceCall]
    let signIn: ServiceCall
    let subscription: ServiceCall
    /// The names of the values from sign-in that later calls need.
    let retainedFields: Set<String>
    /// The name of the value that holds the message shown to the reader when the verdict denies access.
    let verdictMessage: String?

    init(_ settings: SettingsSection) throws(SettingsError) {
        let fields = try settings.section("credentials")
        identifier = try fields.string("identifier", default: "username")
        proofs = try fields.strings("proofs") ?? ["password"]
        try fields.finish()
        variants = try Self.variants(settings)
        preference = try settings.choice("prefer", default: .first)
        key =
            try settings.has("key")
            ? settings.using("key") { text throws(TemplateError) in try PlaceholderTemplate(text) }
            : PlaceholderTemplate(parts: [.placeholder("identifier")])
        authorization = try AuthorizationSettings(in: settings) ?? .none
        guard authorization.names.isEmpty || authorization.names.isSubset(of: Set(variants[0].constants.keys)) else {
            throw settings.error(
                "authorization", expected: "expected a reader's values in a call's own authorization only")
        }
        mapping = try SubscriptionMapping(try settings.section("subscription"))
        let made = try Self.calls(
            settings, usesServiceAccount: authorization.isServiceAccount, requiring: mapping.requiredEndField)
        calls = made.calls
        verdictMessage = made.verdictMessage
        guard let signIn = calls[.signIn], let subscription = calls[.subscription] else {
            throw settings.error("calls", expected: "expected at least `sign_in` and `subscription`")
        }
        self.signIn = signIn
        self.subscription = subscription
        let constants = Set(variants[0].constants.keys)
        retainedFields = Set(calls.values.filter { $0.purpose != .signIn && $0.purpose != .health }.flatMap(\.names))
            .subtracting(constants).subtracting(["key", "edition"])
        try checkNames(settings, constants: constants)
        try checkConstants(settings)
        try checkEvidence(settings)
    }

    func call(_ purpose: ServiceCall.Purpose) -> ServiceCall? { calls[purpose] }

    private static func calls(
        _ settings: SettingsSection, usesServiceAccount: Bool, requiring end: String?
    ) throws(SettingsError) -> (calls: [ServiceCall.Purpose: ServiceCall], verdictMessage: String?) {
        var base: ServiceURL?
        if let text = try settings.string("base") {
            guard let url = ServiceURL(text) else {
                throw settings.error("base", expected: "expected an http or https URL without user name or fragment")
            }
            base = url
        }
        let namespaces = try settings.section("namespaces")
        var uris: [String: String] = [:]
        for prefix in namespaces.names { uris[prefix] = try namespaces.requiredString(prefix, expected: "a URI") }
        let sections = try settings.section("calls")
        var calls: [ServiceCall.Purpose: ServiceCall] = [:]
        var verdictMessage: String?
        for purpose in ServiceCall.Purpose.allCases where sections.has(purpose.rawValue) {
            let section = try sections.section(purpose.rawValue)
            if purpose == .verdict { verdictMessage = try section.string("message") }
            let call = try ServiceCall(
                purpose, section, base: base, namespaces: uris, usesServiceAccount: usesServiceAccount,
                requiring: purpose == .subscription ? end : nil)
            if let verdictMessage, purpose == .verdict, !call.read.contains(verdictMessage) {
                throw section.error("message", expected: "expected a name that `read` has")
            }
            calls[purpose] = call
        }
        try sections.finish()
        return (calls, verdictMessage)
    }

    private static func variants(_ settings: SettingsSection) throws(SettingsError) -> [Variant] {
        let common = try constants(try settings.section("variables"))
        let section = try settings.section("variants")
        var variants: [Variant] = []
        for name in section.names where section.has(name) {
            let own = try constants(try section.section(name))
            variants.append(Variant(name: name, constants: common.merging(own) { $1 }))
        }
        if variants.isEmpty { return [Variant(name: nil, constants: common)] }
        let names = Set(variants[0].constants.keys)
        for variant in variants where Set(variant.constants.keys) != names {
            throw section.error(variant.name ?? "", expected: "expected the same names in every variant")
        }
        return variants
    }

    private static func constants(_ section: SettingsSection) throws(SettingsError) -> [String: String] {
        var values: [String: String] = [:]
        for name in section.names where section.has(name) {
            guard PlaceholderTemplate.isName(name), !["key", "edition", "identifier"].contains(name) else {
                throw section.error(name, expected: "expected another name, of letters, digits, - and _")
            }
            if case .scalar(let text, _) = section.written(name)?.content {
                values[name] = text
            } else {
                values[name] = try section.externalSecret(name)
            }
        }
        return values
    }
}
