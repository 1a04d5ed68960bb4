import Foundation
import Gatefold
import Push

/// A sender of campaigns that sends them one after another and reports the result of each. A failed campaign does
/// not stop the next ones.
struct CampaignDispatch: Sendable {
    let campaignSender: PushCampaignSender
    let payload: PushPayload?
    /// A Boolean value that indicates whether tokens that APNs does not know are removed even if it knows none of
    /// the first ones.
    let forgetsUnknownTokens: Bool
    let json: Bool

    /// The exit statuses by severity. Failures that only an operator can fix come first, then temporary ones.
    private static let severityOrder: [CommandFailure.Status] = [
        .configuration, .usage, .inputOutput, .unavailable, .resumable,
    ]
    private static let stopped = CommandFailure(
        .resumable, "the campaign was stopped; the same command resumes it")

    /// Sends the campaigns. It ends early only if the task is cancelled.
    ///
    /// - Throws: `CommandFailure` with the most severe status of all unfinished campaigns.
    func send(_ campaigns: [(campaign: PushCampaign, app: PushApp)]) async throws {
        var failures: [(app: String, failure: CommandFailure)] = []
        for (campaign, app) in campaigns {
            do {
                if Task.isCancelled { throw Self.stopped }
                try await send(campaign, to: app)
            } catch {
                guard let failure = CommandFailure(error) else { throw error }
                failures.append((app.id, failure))
                if Task.isCancelled { break }
            }
        }
        guard let first = failures.first?.failure else { return }
        guard campaigns.count > 1 else { throw first }
        let status = Self.severityOrder.first { status in failures.contains { $0.failure.status == status } }
        throw CommandFailure(
            status ?? first.status, failures.map { "\($0.app): \($0.failure.message)" }.joined(separator: "\n"))
    }

    private func send(_ campaign: PushCampaign, to app: PushApp) async throws {
        let display = CampaignDisplay(isTerminal: isatty(STDERR_FILENO) == 1)
        let sent: PushCampaign
        do {
            defer { display.clear() }
            sent = try await campaignSender.send(
                campaign, to: app, payload: payload, forgetsUnknownTokens: forgetsUnknownTokens
            ) {
                display.show($0, total: $1)
            }
        } catch let stop as PushCampaignError {
            throw CommandFailure(stop)
        } catch is CancellationError {
            throw Self.stopped
        }
        let isNew = abs(sent.begun.timeIntervalSince(campaign.begun)) < 0.001
        let counts = "\(sent.sent) sent, \(sent.failed) failed, \(sent.gone) gone"
        let text =
            sent.finished == nil
            ? "\(sent.name): stopped after \(sent.processedCount): \(counts)"
            : "\(sent.name): \(counts)\(isNew ? "" : "; started \(sent.begun.formatted(.iso8601))")"
        let report = CampaignReport(sent, total: max(display.total, sent.processedCount))
        print(json ? try OutputOptions.encode(report) : text)
        if sent.finished == nil { throw Self.stopped }
    }
}
