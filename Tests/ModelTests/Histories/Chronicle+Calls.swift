import AccessModel
import ContentGate
import Foundation
import Gatefold
import HTTPTypes

@testable import Backends

/// What readers do.
extension Chronicle {
    func signIn(_ reader: String, _ password: String, _ device: String?, _ title: Int) async throws {
        var fields = ["email": reader, "password": password]
        fields["device"] = device
        let limit = device == nil ? nil : world.titles[title].deviceLimit
        let before = await world.devices(of: reader, in: title)
        let answer: SignInAnswer?
        do {
            answer = try await world.proxies[title].signIn(Inquiry(fields: fields))
        } catch is Unavailable {
            answer = nil
        }
        listen()
        let recognition = try heard(.recognise(identifier: reader, password: password))
        if case .standsIn = recognition { tally.count(.recognisedByStandIn) }
        guard let word = recognition.word else {
            tally.count(.signInComesBack)
            return try require(answer == nil, "sign-in during an outage: \(answer as Any)")
        }
        guard case .recognition(.recognised(let subscriber)) = word else {
            return try require(answer?.refusal == .notRecognised, "sign-in of a stranger: \(answer as Any)")
        }
        if let device, let limit {
            if world.store.isBroken { return try require(answer == nil, "sign-in without a store") }
            let own = world.reference(toDevice: device)
            if limit.excess == .refuse, !before.contains(own), before.count >= limit.most {
                tally.count(.deviceRefused)
                return try require(answer?.refusal == .tooManyDevices, "one device too many: \(answer as Any)")
            }
            let after = await world.devices(of: reader, in: title)
            try require(after.contains(own) && after.count <= limit.most, "devices: \(after.count)")
            tally.count(.deviceEvicted, if: !before.isSubset(of: after))
            end {
                guard $0.title == title, $0.reader.key == reader, let other = $0.device else { return false }
                return !after.contains(world.reference(toDevice: other))
                    && before.contains(world.reference(toDevice: other))
            }
        }
        guard case .signedIn(let text, _, _)? = answer else {
            throw Contradiction(description: "no token for a reader who is recognised: \(answer as Any)")
        }
        // On one device there is one session, however often its reader signs in; it ends as one.
        sittings += 1
        tally.count(.signedIn)
        keep(text, title, subscriber, device, sitting: sittings)
    }

    private func keep(_ text: String, _ title: Int, _ reader: Subscriber, _ device: String?, sitting: Int) {
        let second = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        tickets.append(
            Ticket(
                text: text, title: title, reader: reader, device: device, sitting: sitting,
                expires: second.addingTimeInterval(World.lifetimes.token)))
    }

    func verify(_ token: Int?, _ title: Int) async throws {
        let proxy = world.proxies[title]
        let standing = standing(token, in: title)
        let known = proxy.decidedVerification(token: text(token), Inquiry())
        let decided = known?.answer
        listen()
        try require(asked.isEmpty, "the decided lane asked the house")
        tally.count(.decidedVerification, if: known != nil && standing == .good)
        if let known {
            let text = text(token)
            keep(known.standing, "\(known.answer)") {
                proxy.decidedVerification(token: text, Inquiry())?.answer == known.answer
            }
        }
        let answer: VerificationAnswer?
        do {
            answer = try await proxy.verify(token: text(token), Inquiry())
        } catch is Unavailable {
            answer = nil
        }
        listen()
        try require(decided == nil || decided == answer, "decided \(decided as Any), then \(answer as Any)")
        let reader = ticket(token)?.reader ?? Subscriber(backend: "", key: "")
        let right = try models[title].verification(
            standing,
            heard: {
                let heard = try heardSubscription(reader)
                if case .standsIn = heard { tally.count(.verifiedByStandIn) }
                note(heard, of: reader)
                return heard
            }, bought: bought(by: reader, in: title), at: now)
        tally.count(right == .comeBack ? .verificationComesBack : .verified, if: standing == .good)
        tally.count(.tokenEnded, if: standing == .ended)
        tally.count(.tokenExpired, if: standing == .expired)
        let given =
            answer.map { ModelVerification.told($0.subscription.state, $0.subscription.entitlement) } ?? .comeBack
        try require(given == right, "verification of a \(standing) token: \(given), right is \(right)")
    }

    func credentials(_ token: Int?, _ edition: EditionID, _ title: Int) async throws {
        let proxy = world.proxies[title]
        let standing = standing(token, in: title)
        let known = try proxy.decidedCredentials(
            token: text(token), edition: edition.rawValue, Inquiry(), isToBeKept: true)
        let decided = known?.answer
        listen()
        try require(asked.isEmpty, "the decided lane asked the house")
        if let known {
            tally.count(Self.isGranted(known.answer) ? .decidedGrant : .decidedRefusal, if: standing == .good)
            let text = text(token)
            keep(known.standing, "\(known.answer) for \(edition)") {
                let right = try proxy.decidedCredentials(token: text, edition: edition.rawValue, Inquiry())?.answer
                return switch known.repetition {
                case .same: right == known.answer
                case .replacing(let first, let next): try right.map(Self.isGranted) == true && next() != first
                case .never: false
                }
            }
        }
        let answer = try await proxy.editionCredentials(token: text(token), edition: edition.rawValue, Inquiry())
        listen()
        try require(
            decided.map { Self.shape($0) == Self.shape(answer) } ?? true, "decided \(decided as Any), then \(answer)")
        let ticket = ticket(token)
        let reader = ticket?.reader ?? Subscriber(backend: "", key: "")
        var isEarlier = false
        // What the catalogue or a purchase decides is no word of the house's, and ends no refusal.
        var isHouses = false
        let right = try models[title].credentials(
            standing, for: edition,
            verdict: {
                let heard = try heardVerdict(edition, reader)
                isHouses = true
                if case .standsIn = heard { isEarlier = true }
                if case .refused? = heard.word ?? nil { refuse(edition, to: reader, in: title) }
                return heard
            },
            heard: {
                let heard = try heardSubscription(reader)
                isHouses = true
                if case .standsIn = heard { isEarlier = true }
                note(heard, of: reader)
                if let word = heard.word {
                    if models[title].opens(edition, word, at: now) {
                        countWhatOpens(edition, word, models[title])
                    } else {
                        refuse(edition, to: reader, in: title)
                    }
                }
                return heard
            }, bought: bought(by: reader, in: title),
            wasRefused: {
                let wasRefused =
                    refusedReaders.contains(reader.key)
                    || refusedEditions.contains(RefusedEdition(title: title, reader: reader.key, edition: edition))
                tally.count(.keptClosedByRefusal, if: wasRefused)
                return wasRefused
            },
            wasEditionRefused: {
                refusedEditions.contains(RefusedEdition(title: title, reader: reader.key, edition: edition))
            }, at: now)
        let given = given(answer)
        tally.count(
            .openedByPurchase, if: right == .granted && bought(by: reader, in: title)?.contains(edition) == true)
        // Short-lived and ordinary ones are told apart by their salt.
        try require(
            given == right || given == .granted && right == .grantedForNow,
            "credentials for \(edition) with a \(standing) token: \(given), right is \(right)")
        guard standing == .good, let ticket else { return }
        tally.count(.grantedByStandIn, if: right == .granted && isEarlier)
        switch right {
        case .granted: tally.count(.granted)
        case .grantedForNow: tally.count(.grantedForNow)
        case .refused: tally.count(.refused)
        case .comeBack: tally.count(.credentialsComeBack)
        }
        if right == .granted, isHouses, !isEarlier {
            refusedEditions.remove(RefusedEdition(title: title, reader: reader.key, edition: edition))
        }
        if case .granted(let pair, _, _) = answer { try keep(pair, edition, ticket, isForNow: right == .grantedForNow) }
    }

    /// What of a word opens the edition, where nothing else of it does.
    private func countWhatOpens(_ edition: EditionID, _ word: Subscription, _ model: AccessModel) {
        var plain = word
        plain.periods = []
        if !model.opens(edition, plain, at: now),
            let published = model.editions?.first(where: { $0.id == edition })?.published
        {
            tally.count(.openedByPeriod)
            tally.count(.openedAtStartOfPeriod, if: word.periods.contains { $0.start == published })
            tally.count(.openedAtEndOfPeriod, if: word.periods.contains { $0.end == published })
        }
        var graceless = model
        graceless.grace = GraceRules()
        tally.count(.openedByGrace, if: !graceless.opens(edition, word, at: now))
    }

    private func refuse(_ edition: EditionID, to reader: Subscriber, in title: Int) {
        refusedEditions.insert(RefusedEdition(title: title, reader: reader.key, edition: edition))
    }

    private func keep(_ pair: EditionCredentials, _ edition: EditionID, _ ticket: Ticket, isForNow: Bool) throws {
        let isPlain = world.titles[ticket.title].saltForm == .plain && !isForNow
        let lifetimes = World.lifetimes
        let until = now.addingTimeInterval(isForNow ? lifetimes.failOpenCredentials : lifetimes.editionCredentials)
        // Salts know whole minutes.
        let minute = (min(until, ticket.expires).timeIntervalSince1970 / 60).rounded(.up) * 60
        let expires = isPlain ? nil : Date(timeIntervalSince1970: minute)
        let told = world.expiry(of: pair, for: edition, in: ticket.title)
        try require(
            told == expires, "credentials for \(edition) end at \(told as Any), right is \(expires as Any)")
        pairs.append(Pair(credentials: pair, edition: edition, ticket: ticket, expires: expires))
    }

    private func given(_ answer: CredentialsAnswer) -> ModelCredentials {
        switch answer {
        case .granted: .granted
        case .refused(let refusal, _): refusal.retryAfter == nil ? .refused(refusal.reason) : .comeBack
        }
    }

    private static func shape(_ answer: CredentialsAnswer) -> String {
        if case .refused(let refusal, _) = answer { "\(refusal)" } else { "granted" }
    }

    private static func isGranted(_ answer: CredentialsAnswer) -> Bool { shape(answer) == "granted" }

    func renew(_ token: Int?, _ title: Int) async throws {
        let standing = standing(token, in: title)
        let answer: SignInAnswer?
        do {
            answer = try await world.proxies[title].renew(token: text(token), Inquiry())
        } catch is Unavailable {
            answer = nil
        }
        listen()
        guard standing == .good || standing == .renewable, let ticket = ticket(token) else {
            return try require(answer?.refusal == .notRecognised, "renewal of a \(standing) token: \(answer as Any)")
        }
        guard let word = try heard(.renew(ticket.reader)).word else {
            return try require(answer == nil, "renewal during an outage: \(answer as Any)")
        }
        guard case .recognition(.recognised(let reader)) = word else {
            refusedReaders.insert(ticket.reader.key)
            return try require(answer?.refusal == .notRecognised, "renewal for a stranger: \(answer as Any)")
        }
        guard case .signedIn(let text, _, _)? = answer else {
            throw Contradiction(description: "no new token for a reader who is known: \(answer as Any)")
        }
        tally.count(.renewedAfterExpiry, if: standing == .renewable)
        keep(text, title, reader, ticket.device, sitting: ticket.sitting)
    }

    func signOut(_ token: Int?, _ title: Int) async throws {
        let standing = standing(token, in: title)
        var isDone = true
        do {
            try await world.proxies[title].signOut(token: text(token), Inquiry())
        } catch is Unavailable {
            isDone = false
        }
        listen()
        guard ![.missing, .unreadable, .ended].contains(standing), let ticket = ticket(token) else {
            return try require(isDone, "signing out of nothing")
        }
        try require(isDone != world.store.isBroken, "sign-out: \(isDone), store broken: \(world.store.isBroken)")
        guard isDone else { return }
        end {
            $0.sitting == ticket.sitting
                || ticket.device != nil && $0.device == ticket.device && $0.title == title
                    && $0.reader.key == ticket.reader.key
        }
    }

    /// Credentials open exactly their edition, until they expire, a little longer for a download begun before, and never
    /// after their session was ended.
    func download(_ number: Int, _ edition: EditionID?, _ title: Int?, _ isResume: Bool) throws {
        guard !pairs.isEmpty else { return }
        let pair = pairs[pairs.count - 1 - number % pairs.count]
        let edition = edition ?? pair.edition
        let title = title ?? pair.ticket.title
        let basic = Data("\(pair.credentials.userid):\(pair.credentials.password)".utf8).base64EncodedString()
        let request = GateRequest(
            method: .get, target: "/content/\(world.titles[title].id)/\(edition)/index.html",
            authorization: ["Basic \(basic)"], isResume: isResume)
        let gate = world.gate
        let standing = gate.standing(forTarget: request.target)
        let decision = gate.decide(request)
        keep(standing, "\(decision)") { gate.decide(request).isAllowed == decision.isAllowed }
        var isRight = title == pair.ticket.title && edition == pair.edition
        if let expires = pair.expires {
            let end = expires.addingTimeInterval(isResume ? World.lifetimes.resumeWindow : 0)
            let (isInTime, isEnded) = (now < end, ended.contains(pair.ticket.sitting))
            if isRight, !models[title].isFree(edition, at: now) {
                tally.count(.resumedAfterExpiry, if: isInTime && !isEnded && now >= expires)
                tally.count(.refusedAfterExpiry, if: !isInTime && !isEnded)
                tally.count(.refusedAfterEnd, if: isInTime && isEnded)
            }
            isRight = isRight && isInTime && !isEnded
        }
        tally.count(.downloaded, if: isRight)
        isRight = isRight || models[title].isFree(edition, at: now)
        try require(isRight == decision.isAllowed, "download of \(edition) in \(title): \(decision)")
    }
}

extension SignInAnswer {
    fileprivate var refusal: SignInRefusal.Reason? {
        if case .refused(let refusal) = self { refusal.reason } else { nil }
    }
}

extension GateDecision {
    fileprivate var isAllowed: Bool {
        if case .allowed = self { true } else { false }
    }
}
