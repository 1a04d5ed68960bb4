import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A reader who forgot the password") struct PasswordResetTests {
    @Test("sets a new one with a ticket, once, and is signed out everywhere")
    func once() async throws {
        let rig = AccountRig()
        let token = try await rig.register(device: "phone")
        let pair = try await rig.pair(token)
        let reset = try #require(try await rig.desk.resetPassword(of: " ADA@example.com", Inquiry()))
        #expect(reset.identifier == AccountRig.ada && reset.account?.number == 1)
        #expect(try await rig.desk.setPassword("other password", ticket: reset.ticket)?.number == 1)
        #expect(!rig.isGood(token))
        #expect(try !rig.opensGate(pair))
        #expect(try await rig.signIn() == nil)
        let again = try #require(try await rig.signIn(AccountRig.ada, "other password", device: "phone"))
        // Used, it ends nobody's session either.
        await #expect(throws: AccountRefusal.ticketNotGood) {
            try await rig.desk.setPassword("third password", ticket: reset.ticket)
        }
        #expect(rig.isGood(again))
    }

    @Test("A ticket is over after its time, after a change of the password, and after another ticket was used")
    func over() async throws {
        let rig = AccountRig()
        let token = try await rig.register()
        let ticket = try await rig.ticket()
        rig.clock.advance(by: 3599)
        let later = try await rig.ticket()
        rig.clock.advance(by: 1)
        await #expect(throws: AccountRefusal.ticketNotGood) {
            try await rig.desk.setPassword("other password", ticket: ticket)
        }
        try await rig.change(token)
        await #expect(throws: AccountRefusal.ticketNotGood) {
            try await rig.desk.setPassword("third password", ticket: later)
        }
        let two = (try await rig.ticket(), try await rig.ticket())
        try await rig.desk.setPassword("third password", ticket: two.1)
        await #expect(throws: AccountRefusal.ticketNotGood) {
            try await rig.desk.setPassword("fourth password", ticket: two.0)
        }
    }

    @Test("A ticket is nothing in another publication, in another form, and for another backend's reader")
    func elsewhere() async throws {
        let readers = VolatileSubscribers()
        let rig = AccountRig(readers: readers)
        let other = AccountRig(.weekly, readers: readers)
        try await rig.register()
        let ticket = try await rig.ticket()
        for text in ["", "x", ticket + "A", String(ticket.dropLast()), try #require(try await rig.signIn())] {
            await #expect(throws: AccountRefusal.ticketNotGood) {
                try await rig.desk.setPassword("other password", ticket: text)
            }
        }
        await #expect(throws: AccountRefusal.ticketNotGood) {
            try await other.desk.setPassword("other password", ticket: ticket)
        }
        let renamed = AccountRig(readers: VolatileSubscribers(name: "others"))
        try await renamed.register()
        await #expect(throws: AccountRefusal.ticketNotGood) {
            try await renamed.desk.setPassword("other password", ticket: ticket)
        }
        await #expect(throws: AccountRefusal.unacceptablePassword) {
            try await rig.desk.setPassword("short", ticket: ticket)
        }
        // Asking for one is no sign-in, and the ticket no token.
        #expect(!rig.isGood(ticket))
        try await rig.desk.setPassword("other password", ticket: ticket)
    }

    @Test("Nobody's identifier gets none, and a reader's not endlessly many, however many addresses ask")
    func limits() async throws {
        let rig = AccountRig(guesses: GuessLimiter(limits: GuessLimits(perIdentifier: 5)))
        try await rig.register()
        #expect(try await rig.desk.resetPassword(of: "nobody@example.com", Inquiry()) == nil)
        #expect(try await rig.desk.resetPassword(of: " ", Inquiry()) == nil)
        #expect(try await rig.desk.resetPassword(of: String(repeating: "a", count: 2000), Inquiry()) == nil)
        var mailed = 0
        for number in 0..<20 {
            let inquiry = Inquiry(client: ClientAddress("198.51.100.\(number)"))
            do {
                if try await rig.desk.resetPassword(of: AccountRig.ada, inquiry) != nil { mailed += 1 }
            } catch AccountRefusal.throttled {}
        }
        #expect(mailed == 5)
        // The reader is not locked out by it.
        #expect(try await rig.signIn() != nil)
    }

    @Test("What fails half-way leaves the ticket good")
    func halfWay() async throws {
        let rig = AccountRig()
        let token = try await rig.register()
        let ticket = try await rig.ticket()
        for call in ["passwordMark", "setPassword"] {
            rig.readers.breakDown(call)
            await #expect(throws: Unavailable.self) {
                try await rig.desk.setPassword("other password", ticket: ticket)
            }
        }
        #expect(!rig.isGood(token))
        rig.readers.breakDown()
        try await rig.desk.setPassword("other password", ticket: ticket)
        #expect(try await rig.signIn(AccountRig.ada, "other password") != nil)
        rig.readers.breakDown("subscriber")
        await #expect(throws: Unavailable.self) { try await rig.desk.resetPassword(of: AccountRig.ada, Inquiry()) }
    }
}
