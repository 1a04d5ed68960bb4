import Foundation
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Mail

/// With a real server.
@Suite("The office that sends letters")
struct MailOfficeTests {
    private func settings(_ port: Int, _ more: String = "") throws -> MailSettings {
        try MailSettings(
            try YAMLSettings.read(
                text: "{server: 'smtp://127.0.0.1:\(port)', from: 'The Daily <news@daily.example>'\(more)}",
                name: "m.yaml", folder: "/etc/gatefold"))
    }

    private func office(
        _ settings: MailSettings, _ time: ManualTime, _ events: Kept<[MailEvent]>
    ) throws -> MailOffice {
        try MailOffice(
            settings, clock: time.clock.wall, random: .seeded(1), sleep: time.sleep,
            observe: { event in
                if case .waiting = event { return }
                events.withLock { $0.append(event) }
            })
    }

    private func letter(_ to: String, _ subject: String = "Hello") -> Letter {
        Letter(to: to, subject: subject, text: "Text")
    }

    @Test("sends what it takes, over a few connections", .timeLimit(.minutes(10)))
    func sends() async throws {
        try await MailCatcher.with { catcher, _ in
            let events = Kept<[MailEvent]>([])
            let office = try office(settings(catcher.port), ManualTime(), events)
            let running = Task { await office.run() }
            for number in 0..<20 { try office.send(letter("reader\(number)@example.com")) }
            let caught = try await catcher.caught(atLeast: 20)
            #expect(Set(caught.flatMap(\.to)).count == 20)
            office.close()
            await running.value
            #expect(events.withLock(\.self) == Array(repeating: .sent, count: 20))
            #expect(throws: MailRefused.stopped) { try office.send(letter("late@example.com")) }
        }
    }

    @Test("refuses what is addressed to nobody, and more than it has room for")
    func refuses() throws {
        let events = Kept<[MailEvent]>([])
        let office = try office(settings(1, ", queue: 2"), ManualTime(), events)
        #expect(throws: MailRefused.address) { try office.send(letter("nobody")) }
        try office.send(letter("a@example.com"))
        try office.send(letter("b@example.com"))
        #expect(throws: MailRefused.full) { try office.send(letter("c@example.com")) }
        #expect(events.withLock(\.self) == [.refused(.address), .refused(.full)])
    }

    @Test("tries again when the server is back, and gives up what it will never take", .timeLimit(.minutes(10)))
    func retries() async throws {
        try await MailCatcher.with(answers: ["gone@example.com": "550 5.1.1 <gone@example.com> No"]) {
            catcher, server in
            let events = Kept<[MailEvent]>([])
            let time = ManualTime()
            let office = try office(settings(catcher.port, ", connections: 1"), time, events)
            let running = Task { await office.run() }
            await server.stop(SIGKILL)
            try office.send(letter("ada@example.com"))
            while events.withLock(\.isEmpty) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(events.withLock(\.self) == [.postponed(cause: "the mail server can not be reached")])
            try await server.start()
            while try catcher.caught().isEmpty {
                time.advance(by: 1)
                try await Task.sleep(for: .milliseconds(5))
            }
            try office.send(letter("gone@example.com"))
            while events.withLock({ $0.count < 3 }) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(
                events.withLock { Array($0.suffix(2)) }
                    == [.sent, .failed(cause: "the mail server refused the letter with 550 (5.1.1)")])
            office.close()
            await running.value
        }
    }

    @Test("sends what waits when it is closed, and ends in time when the server is slow", .timeLimit(.minutes(10)))
    func closes() async throws {
        try await MailCatcher.with { catcher, _ in
            let events = Kept<[MailEvent]>([])
            let time = ManualTime()
            let office = try office(settings(catcher.port, ", connections: 1"), time, events)
            try office.send(letter("ada@example.com"))
            try office.send(letter("slow@example.com"))
            try office.send(letter("late@example.com"))
            office.close()
            let running = Task { await office.run() }
            _ = try await catcher.caught(atLeast: 1)
            // The closing's own time is all that is waited for.
            while time.sleeping == 0 { try await Task.sleep(for: .milliseconds(5)) }
            time.advance(by: MailOffice.grace)
            await running.value
            // Whether the slow one was under way by then or not.
            #expect(events.withLock(\.count) == 3, "\(events.withLock(\.self))")
            #expect(
                events.withLock { $0.contains(.failed(cause: "the server stopped")) && $0.contains(.sent) })
        }
    }

    @Test("says of each letter that waits that it is not sent, when it is cancelled", .timeLimit(.minutes(10)))
    func cancelled() async throws {
        let events = Kept<[MailEvent]>([])
        // Nobody listens there: the letters wait for another attempt, which this time never comes to.
        let office = try office(settings(FreePort.find()), ManualTime(), events)
        let running = Task { await office.run() }
        for number in 0..<3 { try office.send(letter("reader\(number)@example.com")) }
        await until { events.withLock(\.count) == 3 }
        running.cancel()
        await running.value
        #expect(
            events.withLock { Array($0.suffix(3)) } == Array(repeating: .failed(cause: "the server stopped"), count: 3))
        #expect(events.withLock(\.count) == 6)
        #expect(throws: MailRefused.stopped) { try office.send(letter("late@example.com")) }
    }

    @Test("shows no address in what it tells")
    func secrecy() async throws {
        try await MailCatcher.with(answers: ["ada@example.com": "450 4.2.1 <ada@example.com> later"]) { catcher, _ in
            let events = Kept<[MailEvent]>([])
            let office = try office(settings(catcher.port), ManualTime(), events)
            let running = Task { await office.run() }
            try office.send(letter("ada@example.com"))
            while events.withLock(\.isEmpty) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(!"\(events.withLock(\.self))".contains("ada"))
            office.close()
            await running.value
        }
    }
}
