import Foundation
public import Gatefold
import PasswordHashing
public import Settings
import Transfers

/// The backend kind of subscriber files that are fetched on a schedule, `kind: feed`.
public struct FeedBackendKind: BackendKind {
    public static let name = "feed"

    let plan: FeedPlan
    private let rule: ProofRule?
    private let mapping: SubscriptionMapping

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        guard let folder = try settings.filePath("folder") else {
            throw settings.error("folder", expected: "missing; expected the folder where the loaded feed is stored")
        }
        guard !name.contains("/"), !name.hasPrefix(".") else {
            throw settings.error("folder", expected: "expected a backend name that is valid as a file name")
        }
        let limits = try FeedLimits(try settings.section("limits"))
        let source = try FeedSource(settings, sizeLimit: limits.size)
        let checksProof = try settings.boolean("check_proof", default: true)
        rule = checksProof ? try ProofRule(try settings.section("proof")) : nil
        let columns = try FeedColumns(
            try settings.requiredSection("columns", expected: "the fields that identify a reader"),
            checksProof: checksProof)
        let lines: FeedPlan.Lines = try settings.choice("lines", default: .one)
        if lines == .several, columns.key == nil {
            throw settings.error("lines", expected: "expected `columns.key`, which identifies the lines of a reader")
        }
        mapping = try SubscriptionMapping(
            try settings.requiredSection("subscription", expected: "the mapping of the fields to a subscription"))
        let format = try FeedFormat(settings)
        let requiredFields = columns.fields.union(mapping.fields)
        if let names = format.names, let missing = requiredFields.subtracting(names).min() {
            throw settings.error(
                "layout", expected: "expected the field \(missing), which columns or subscription name")
        }
        plan = FeedPlan(
            name: name, folder: folder, source: source, format: format, columns: columns, lines: lines,
            requiredFields: requiredFields, retainedFields: mapping.fields, limits: limits,
            schedule: try FeedSchedule(try settings.section("schedule")),
            staleAfter: try settings.duration("stale_after", default: 48 * 3600, in: 1...(366 * 86_400)),
            fingerprint: settings.fingerprint())
    }

    public var checkedProofs: Set<String>? { rule.map { [$0.field] } ?? [] }

    /// Always false, because results come from a local file. Only the fetch may fail, and readers do not wait for
    /// it.
    public var isRemote: Bool { false }

    public func open(_ services: BackendServices) throws -> any SubscriberBackend {
        guard !services.isReadOnly else {
            return FeedBackend(
                plan, store: FeedStore(reading: plan), rule: rule, mapping: mapping, services: services,
                refresher: nil)
        }
        return try open(services) { update in
            FeedRefresher(update) { try await Task.sleep(for: .seconds($0)) }
        }
    }

    /// Opens the backend.
    ///
    /// - Parameter refresher: a closure that creates the refresher of the feed. The feed is never refreshed when
    ///   the closure returns nil.
    func open(
        _ services: BackendServices, refresher: (FeedUpdate) -> FeedRefresher?
    ) throws -> FeedBackend {
        if plan.format.isCompressed { try GzipFile.requireLibrary() }
        let update = FeedUpdate(
            plan: plan, store: try FeedStore(plan), transfer: try FileTransfer(), clock: services.clock,
            random: services.random, observe: services.observe, shared: services.documents)
        return FeedBackend(
            plan, store: update.store, rule: rule, mapping: mapping, services: services, refresher: refresher(update))
    }
}

/// The parsed settings of a feed, without the settings that apply to queries only.
struct FeedPlan: Sendable {
    /// The number of lines in the feed about one reader.
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
    let requiredFields: Set<String>
    /// The fields that results are computed from, which may include those of `columns`.
    let retainedFields: Set<String>
    let limits: FeedLimits
    let schedule: FeedSchedule
    let staleAfter: TimeInterval
    /// The fingerprint of all settings. Under changed settings a feed that was rejected may be accepted.
    let fingerprint: [UInt8]
}
