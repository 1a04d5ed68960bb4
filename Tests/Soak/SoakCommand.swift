import ArgumentParser
import Dispatch
import Foundation

/// Runs many readers of several publications through a subscriber system's faults and checks every response.
@main
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatefold-soak",
        abstract:
            "Many readers, a subscriber system with bad days: each answer to Pugpig apps is checked against a model.",
        discussion: """
            Starts PostgreSQL with a publisher's tables, the program beside this one in front of it, and readers on loopback. \
            Every few seconds the system stops, stands still, fails, talks rubbish, resets or is slow; subscriptions change, \
            sessions are revoked, the configuration is read again, memories are flushed. An answer is right if some state of \
            all this within the request's time allows it. Exits with 1 at the first that is not, with that reader's history.

            Called are Pugpig's sign_in, renew_token, sign_out, verify_subscription and edition_credentials, by GET and POST, \
            with forms and JSON, fields in query and body, with and without a publication and a slash at the end; HEAD, OPTIONS \
            and methods there are not; the feed of editions with its credentials; our own file server and the auth-request \
            endpoint for downloads; and the shelves of Baker and Basispress. What each answer tells caches is checked, too. \
            The front doors of InPlayer and Cloud Softphone, linking, store receipts, purchases and accounts are left out.

            The first round takes a little more than a minute and is the same for all: each call in each way, each kind of \
            bad day, tokens, sessions and credentials that end. The soak fails if anything of that did not happen. What comes \
            after it is drawn.
            """)

    @Option(help: "For so long, and for the first round at the least.")
    var minutes = 10.0

    @Option(help: "Readers; each has two apps that call at once.")
    var readers = 24

    @Option(help: "Each app waits about so many milliseconds between two calls.")
    var pause = 150

    @Option(help: "The same seed draws the same faults and calls; when they happen is up to the machine.")
    var seed: UInt64 = .random(in: 1...999_999)

    func validate() throws {
        guard minutes > 0, (1...500).contains(readers), pause >= 0 else {
            throw ValidationError("expected --minutes above 0, --readers from 1 to 500 and --pause of 0 or more")
        }
    }

    func run() async throws {
        let plan = SoakPlan(
            duration: .seconds(minutes * 60), readers: readers, pause: .milliseconds(pause), seed: seed)
        let finished = try await withThrowingTaskGroup(of: SoakReport?.self) { group in
            group.addTask { try await Soak.run(plan) { FileHandle.standardError.write(Data("\($0)\n".utf8)) } }
            group.addTask {
                await Self.endRequested()
                return nil
            }
            let first: SoakReport? = try await group.next() ?? nil
            // The remaining task ends: a soak that is asked to stop still stops its servers and removes its folders.
            group.cancelAll()
            return first
        }
        guard let report = finished else { throw ExitCode(128 + SIGTERM) }
        print(report.text)
        if !report.isCorrect { throw ExitCode(1) }
    }

    /// Waits for SIGTERM.
    private static func endRequested() async {
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.resume()
        for await _ in requests { break }
        source.cancel()
    }
}
