import Foundation
import Gatefold
import Push

/// Sends campaigns one after the other, each of them whatever became of those before, and says how each ended.
struct CampaignDispatch: Sendable {
    let office: PushOffice
    let payload: PushPayload?
    /// Whether tokens that APNs does not know are forgotten even where it knows none.
    let trusting: Bool
    let json: Bool

    /// The gravest first: what only an operator can put right, then what may pass.
    private static let gravity: [CommandFailure.Status] = [.configuration, .usage, .inputOutput, .unavailable, .again]
    private static let stopped = CommandFailure(
        .again, "the campaign was stopped; the same command goes on with it")

    /// Ends early only where the task is cancelled.
    ///
    /// - Throws: `CommandFailure` with the gravest status of all campaigns that did not come to their end.
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
        let status = Self.gravity.first { status in failures.contains { $0.failure.status == status } }
        throw CommandFailure(
            status ?? first.status, failures.map { "\($0.app): \($0.failure.message)" }.joined(separator: "\n"))
    }

    private func send(_ campaign: PushCampaign, to app: PushApp) async throws {
        let display = CampaignDisplay(isTerminal: isatty(STDERR_FILENO) == 1)
        let sent: PushCampaign
        do {
            defer { display.clear() }
            sent = try await office.send(campaign, to: app, payload: payload, trusting: trusting) {
                display.show($0, total: $1)
            }
        } catch let stop as PushStop {
            throw CommandFailure(stop)
        } catch is CancellationError {
            throw Self.stopped
        }
        let isNew = abs(sent.begun.timeIntervalSince(campaign.begun)) < 0.001
        let counts = "\(sent.sent) sent, \(sent.failed) failed, \(sent.gone) gone"
        let text =
            sent.finished == nil
            ? "\(sent.name): stopped after \(sent.dealtWith): \(counts)"
            : "\(sent.name): \(counts)\(isNew ? "" : "; begun \(sent.begun.formatted(.iso8601))")"
        let report = CampaignReport(sent, total: max(display.total, sent.dealtWith))
        print(json ? try OutputOptions.encode(report) : text)
        if sent.finished == nil { throw Self.stopped }
    }
}
