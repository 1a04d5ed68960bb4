import Foundation
public import Gatefold
public import Settings
import Transfers

/// Files of subscribers that are fetched on a schedule, `kind: feed`.
public struct FeedBackendKind: BackendKind {
    public static let name = "feed"

    let plan: FeedPlan
    private let rule: ProofRule?
    private let mapping: SubscriptionMapping

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        guard let folder = try settings.filePath("folder") else {
            throw settings.error("folder", expected: "missing; expected the folder where the loaded feed is kept")
        }
        guard !name.contains("/"), !name.hasPrefix(".") else {
            throw settings.error("folder", expected: "expected a backend whose name can be a file's")
        }
        let limits = try FeedLimits(try settings.section("limits"))
        let source = try FeedSource(settings, sizeLimit: limits.size)
        let checksProof = try settings.boolean("check_proof", default: true)
        rule = checksProof ? try ProofRule(try settings.section("proof")) : nil
        let columns = try FeedColumns(
            try settings.requiredSection("columns", expected: "which fields say who a reader is"),
            checksProof: checksProof)
        let lines: FeedPlan.Lines = try settings.choice("lines", default: .one)
        if lines == .several, columns.key == nil {
            throw settings.error("lines", expected: "expected `columns.key`, by which the lines of a reader are known")
        }
        mapping = try SubscriptionMapping(
            try settings.requiredSection("subscription", expected: "what the fields mean for a subscription"))
        let format = try FeedFormat(settings)
        let needed = columns.fields.union(mapping.fields)
        if let names = format.names, let missing = needed.subtracting(names).min() {
            throw settings.error(
                "layout", expected: "expected the field \(missing), which columns or subscription name")
        }
        plan = FeedPlan(
            name: name, folder: folder, source: source, format: format, columns: columns, lines: lines,
            needed: needed, kept: mapping.fields, limits: limits,
            schedule: try FeedSchedule(try settings.section("schedule")),
            staleAfter: try settings.duration("stale_after", default: 48 * 3600, in: 1...(366 * 86_400)),
            fingerprint: settings.fingerprint())
    }

    public var checkedProofs: Set<String>? { rule.map { [$0.field] } ?? [] }

    /// Answers come from a file of our own; only the fetching has bad days, and readers do not wait for it.
    public var isRemote: Bool { false }

    public func open(_ services: BackendServices) throws -> any SubscriberBackend {
        try open(services) { update in
            FeedRefresher(update) { try await Task.sleep(for: .seconds($0)) }
        }
    }

    /// - Parameter refresher: makes what keeps the feed up to date; nil leaves it as it is.
    func open(
        _ services: BackendServices, refresher: (FeedUpdate) -> FeedRefresher?
    ) throws -> FeedBackend {
        if plan.format.isPacked { try GzipFile.requireLibrary() }
        let update = FeedUpdate(
            plan: plan, store: try FeedStore(plan), transfer: try FileTransfer(), clock: services.clock,
            random: services.random, observe: services.observe)
        return FeedBackend(
            plan, store: update.store, rule: rule, mapping: mapping, services: services, refresher: refresher(update))
    }
}

/// What a feed's settings come to, but for what is asked at answer time.
struct FeedPlan: Sendable {
    /// How many lines of the feed are about one reader.
    enum Lines: String, Sendable, CaseIterable {
        case one, several
    }

    let name: String
    let folder: String
    let source: FeedSource
    let format: FeedFormat
    let columns: FeedColumns
    let lines: Lines
    /// The fields that the feed must have.
    let needed: Set<String>
    /// The fields that answers are made of, those of `columns` among them or not.
    let kept: Set<String>
    let limits: FeedLimits
    let schedule: FeedSchedule
    let staleAfter: TimeInterval
    /// Of all the settings: others may make something of a feed that was refused.
    let fingerprint: [UInt8]
}
