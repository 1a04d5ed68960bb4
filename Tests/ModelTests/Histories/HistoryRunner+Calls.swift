import AccessModel
import ContentGate
import Foundation
import Gatefold
import HTTPTypes

@testable import Backends

/// The calls of readers.
extension HistoryRunner {
    /// - Parameter key: The subscriber system's key of the reader.
    func signIn(
        _ typed: String, _ password: String, _ device: String?, _ title: Int, key: String
    ) async throws {
        var fields = ["email": typed, "password": password]
        fields["device"] = device
        let limit = device == nil ? nil : world.titles[title].deviceLimit
        let before = try await world.devices(of: key, in: title)
        let result: SignInResult?
        do {
            result = try await world.authorizationServices[title].signIn(CallContext(fields: fields))
        } catch is Unavailable {
            result = nil
        }
        listen()
        let query = ModelQuery.authenticate(identifier: typed, password: password)
        if result == nil, isAmbiguous(key),
            let uncached = try? heard(query, Uncertainty(hasCachedResult: false, validity: .good)),
            uncached.value == nil
        {
            return countUnavailable(query, key)
        }
        let authentication = try heard(query, Uncertainty(validity: .good))
        tally.count(.signedInFromCache, if: authentication.isLastKnownGood)
        guard let value = authentication.value else {
            countUnavailable(query, key)
            return try require(result == nil, "sign-in during an outage: \(result as Any)")
        }
        guard case .authentication(.authenticated(let subscriber)) = value else {
            return try require(
                result?.rejection == .rejected,
                "sign-in of an unknown reader or with a wrong password: \(result as Any)")
        }
        try require(subscriber.key == key, "\(typed) was authenticated as \(subscriber.key)")
        let isLive = queried.contains { $0.query == query && $0.result != nil }
        if isLive {
            confirmed[key] = (typed, password, present)
            wasRight.insert(query)
        }
        if let device, let limit {
            if world.isStoreBroken { return try require(result == nil, "sign-in without a store") }
            let own = world.reference(toDevice: device)
            if limit.onLimit == .reject, !before.contains(own), before.count >= limit.maxDevices {
                tally.count(.deviceRejected)
                return try require(
                    result?.rejection == .tooManyDevices, "expected a rejection by the device limit: \(result as Any)")
            }
            let after = try await world.devices(of: key, in: title)
            try require(
                after.contains(own) && after.count <= limit.maxDevices,
                "unexpected devices after the sign-in: \(after.count)")
            tally.count(.deviceEvicted, if: !before.isSubset(of: after))
            let world = world
            let leaving = before.subtracting(after)
            end {
                guard $0.title == title, $0.reader.key == key, let other = $0.device else { return false }
                return leaving.contains(world.reference(toDevice: other))
            }
        }
        guard case .signedIn(let text, _, _)? = result else {
            throw Contradiction(description: "no token for an authenticated reader: \(result as Any)")
        }
        // A device has one session, however often its reader signs in. It ends as one.
        sessionNumbers += 1
        tally.count(.signedIn)
        tally.count(.signedInByLookAlike, if: typed.trimmingCharacters(in: .whitespaces).lowercased() != key)
        track(text, title, subscriber, device, sessionNumber: sessionNumbers)
        if !isLive { recordCachedResult(sessionNumbers, key, password) }
    }

    /// Counts a call during an outage without a cached result.
    private func countUnavailable(_ query: ModelQuery, _ key: String) {
        tally.count(.signInUnavailable)
        guard case .authenticate(let typed, let password) = query, wasRight.contains(query),
            let latest = confirmed[key], latest.password != password
        else { return }
        tally.count(.formerPasswordElsewhere, if: latest.process != present)
        tally.count(.formerPasswordByLookAlike, if: latest.typed != typed)
    }

    private func track(
        _ text: String, _ title: Int, _ reader: Subscriber, _ device: String?, sessionNumber: Int, issued: Date? = nil
    ) {
        let second = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        let lifetimes = world.titles[title].lifetimes
        hold(
            HeldToken(
                text: text, title: title, reader: reader, device: device, sessionNumber: sessionNumber,
                expires: second.addingTimeInterval(lifetimes.token), process: present,
                issued: issued ?? second, lifetimes: lifetimes))
    }

    // MARK: - Results of the model

    /// Returns the possible states of the queried process, the likeliest first, or a single one if the state is
    /// certain.
    private func uncertainties(
        _ tokenStatuses: [TokenStatus], _ reader: Subscriber, wasRejected: [Bool] = [false],
        wasEditionDenied: [Bool] = [false]
    ) -> [Uncertainty] {
        var all: [Uncertainty] = []
        for validity in tokenStatuses {
            for hasCachedResult in isAmbiguous(reader.key) ? [true, false] : [true] {
                for rejected in wasRejected {
                    for editionDenied in wasEditionDenied {
                        all.append(
                            Uncertainty(
                                hasCachedResult: hasCachedResult, validity: validity, wasRejected: rejected,
                                wasEditionDenied: editionDenied))
                    }
                }
            }
        }
        return all
    }

    /// Returns the uncertainty and the correct result that matches the actual one.
    ///
    /// - Throws: ``Contradiction`` if the actual result is correct under no uncertainty.
    private func right<Value>(
        among uncertainties: [Uncertainty], _ isIssued: (Value) -> Bool, message: (Uncertainty, Value) -> String,
        _ find: (Uncertainty, inout [() -> Void]) throws -> Value
    ) throws -> (Value, Uncertainty) {
        var first: (any Error)?
        for reportWarning in uncertainties {
            do {
                var effects: [() -> Void] = []
                let result = try find(reportWarning, &effects)
                if isIssued(result) {
                    effects.forEach { $0() }
                    return (result, reportWarning)
                }
                try require(false, message(reportWarning, result))
            } catch {
                first = first ?? error
            }
        }
        throw first ?? Contradiction(description: "no possible result")
    }

    func verify(_ token: Int?, _ title: Int) async throws {
        let authorizationService = world.authorizationServices[title]
        let tokenStatuses = tokenStatuses(token, in: title)
        let result: VerificationResult?
        do {
            result = try await authorizationService.verify(token: text(token), CallContext())
        } catch is Unavailable {
            result = nil
        }
        listen()
        let reader = heldToken(token)?.reader ?? Subscriber(backend: "", key: "")
        let given =
            result.map { ModelVerification.reported($0.subscription.state, $0.subscription.entitlement) }
            ?? .unavailable
        let (right, reportWarning) = try right(
            among: uncertainties(tokenStatuses, reader), { $0 == given },
            message: { "verification of a token of status \($0.validity): \(given), expected \($1)" }
        ) { reportWarning, effects in
            try models[title].verification(
                reportWarning.validity,
                heard: {
                    let heard = try receivedSubscription(reader, reportWarning)
                    effects.append { [self] in
                        tally.count(.verifiedFromCache, if: heard.isLastKnownGood)
                        record(heard, of: reader)
                    }
                    return heard
                }, bought: bought(by: reader, in: title), at: now)
        }
        tally.count(
            .verifiedWithoutQuery, if: queried.isEmpty && right != .unavailable && reportWarning.validity == .good)
        tally.count(right == .unavailable ? .verificationUnavailable : .verified, if: reportWarning.validity == .good)
        tally.count(.tokenExpired, if: reportWarning.validity == .expired)
        if let heldToken = heldToken(token) { count(heldToken, reportWarning.validity) }
    }

    /// Counts the status of a token in cases that are hard to determine.
    private func count(_ heldToken: HeldToken, _ validity: TokenStatus) {
        tally.count(.validUntilEndReported, if: validity == .good && wasEndedElsewhere(heldToken.sessionNumber))
        guard validity == .ended else { return }
        tally.count(.tokenEnded)
        guard hasEnded(heldToken.sessionNumber) else { return }
        let lifetimes = world.titles[heldToken.title].lifetimes
        tally.count(
            .expiredAfterShortening,
            if: endedBeforePruning.contains(heldToken.sessionNumber) && lifetimes.token < heldToken.lifetimes.token
                && now < heldToken.expires)
        tally.count(
            .endedAfterClockStep, if: endedBeforeStep.contains(heldToken.sessionNumber) && now < heldToken.expires)
        tally.count(.endedElsewhere, if: wasEnded(heldToken.sessionNumber, notBy: present))
    }

    func credentials(_ token: Int?, _ edition: EditionID, _ title: Int) async throws {
        let (validity, result) = try await requestCredentials(token, edition, title)
        tally.count(
            Self.isGranted(result) ? .grantedWithoutQuery : .rejectedWithoutQuery,
            if: queried.isEmpty && validity == .good)
    }

    /// A reader requests more editions than the cache holds for one reader. None of them exists.
    func requestUnknownEdition(_ token: Int?, _ title: Int) async throws {
        guard let heldToken = heldToken(token) else { return }
        if isAmbiguous(heldToken.reader.key), flooding.contains(heldToken.reader.key) { return }
        flooding.insert(heldToken.reader.key)
        denials.recordOverCapacity(heldToken.reader.key)
        for number in 0..<Self.madeUp {
            guard let edition = EditionID("made-up-\(number)") else { continue }
            try await requestCredentials(token, edition, title)
        }
        tally.count(.requestedUnknownEdition)
    }

    /// More than the capacity, but few enough to be fast.
    private static let madeUp = 700

    /// - Returns: The status of the token, and the result.
    @discardableResult
    private func requestCredentials(
        _ token: Int?, _ edition: EditionID, _ title: Int
    ) async throws -> (validity: TokenStatus, result: CredentialsResult) {
        let tokenStatuses = tokenStatuses(token, in: title)
        let heldToken = heldToken(token)
        let reader = heldToken?.reader ?? Subscriber(backend: "", key: "")
        let key = DenialKey.edition(title: title, reader: reader.key, edition)
        let keys = [key, .reader(reader.key)]
        let isNew = denials.isNew(keys, to: present)
        let uncertainties = uncertainties(
            tokenStatuses, reader, wasRejected: denials.wasRejected(keys, by: present),
            wasEditionDenied: denials.wasEditionDenied(key, by: present))
        let result = try await world.authorizationServices[title].editionCredentials(
            token: text(token), edition: edition.rawValue, CallContext())
        listen()
        var isLastKnownGood = false
        // A decision by the catalogue or a purchase is not the subscriber system's and ends no denial.
        var isSubscriberSystemRecord = false
        let (right, reportWarning) = try right(
            among: uncertainties, { isCorrect($0, result, edition, heldToken) },
            message: {
                "credentials for \(edition) with a token of status \($0.validity): "
                    + "\(message(result, edition, heldToken)), expected \($1)"
            }
        ) { reportWarning, effects in
            (isLastKnownGood, isSubscriberSystemRecord) = (false, false)
            var isDeniedNow = false
            return try models[title].credentials(
                reportWarning.validity, for: edition,
                verdict: {
                    let heard = try receivedVerdict(edition, reader, reportWarning)
                    isSubscriberSystemRecord = true
                    isLastKnownGood = isLastKnownGood || heard.isLastKnownGood
                    if case .rejected? = heard.value ?? nil {
                        isDeniedNow = true
                        effects.append { [self] in reject(key, edition) }
                    }
                    return heard
                },
                heard: {
                    let heard = try receivedSubscription(reader, reportWarning)
                    isSubscriberSystemRecord = true
                    isLastKnownGood = isLastKnownGood || heard.isLastKnownGood
                    effects.append { [self] in record(heard, of: reader) }
                    if let value = heard.value {
                        let isOpen = models[title].opens(edition, value, at: now)
                        isDeniedNow = isDeniedNow || !isOpen || value.state != .active
                        effects.append { [self] in
                            if isOpen { countGrantReasons(edition, value, models[title]) } else { reject(key, edition) }
                        }
                    }
                    return heard
                }, bought: bought(by: reader, in: title),
                wasRejected: {
                    let wasRejected = isDeniedNow || reportWarning.wasRejected
                    effects.append { [self] in countDenied(wasRejected, reader, isNew: isNew) }
                    return wasRejected
                }, wasEditionDenied: { reportWarning.wasEditionDenied }, at: now)
        }
        tally.count(
            .openedByPurchase, if: right == .granted && bought(by: reader, in: title)?.contains(edition) == true)
        guard reportWarning.validity == .good, let heldToken else { return (reportWarning.validity, result) }
        tally.count(.grantedFromCache, if: right == .granted && isLastKnownGood)
        tally.count(
            .cachedAfterUnknownEdition,
            if: right == .granted && isLastKnownGood && !flooding.isEmpty && !flooding.contains(reader.key))
        switch right {
        case .granted: tally.count(.granted)
        case .grantedForNow: tally.count(.grantedForNow)
        case .rejected: tally.count(.rejected)
        case .unavailable: tally.count(.credentialsUnavailable)
        }
        if right == .granted, isSubscriberSystemRecord, !isLastKnownGood {
            denials.record(key, false, by: present, at: elapsed)
        }
        if case .granted(let pair, _, _) = result { track(pair, edition, heldToken, isForNow: right == .grantedForNow) }
        return (reportWarning.validity, result)
    }

    private func reject(_ key: DenialKey, _ edition: EditionID) {
        guard case .edition(let title, _, _) = key, models[title].mayBeThere(edition) else { return }
        denials.record(key, true, by: present, at: elapsed)
    }

    private func countDenied(_ wasRejected: Bool, _ reader: Subscriber, isNew: Bool) {
        tally.count(.deniedAfterRejection, if: wasRejected)
        tally.count(.deniedAfterEventElsewhere, if: wasRejected && isNew)
        tally.count(
            .deniedAfterUnknownEdition, if: wasRejected && !flooding.isEmpty)
    }

    /// Counts which part of a subscription opens the edition if no other part does.
    private func countGrantReasons(_ edition: EditionID, _ value: Subscription, _ model: AccessModel) {
        var plain = value
        plain.periods = []
        if !model.opens(edition, plain, at: now),
            let published = model.editions?.first(where: { $0.id == edition })?.published
        {
            tally.count(.openedByPeriod)
            tally.count(.openedAtStartOfPeriod, if: value.periods.contains { $0.start == published })
            tally.count(.openedAtEndOfPeriod, if: value.periods.contains { $0.end == published })
        }
        var modelWithoutGrace = model
        modelWithoutGrace.grace = GraceRules()
        tally.count(.openedByGrace, if: !modelWithoutGrace.opens(edition, value, at: now))
    }

    private func track(_ pair: EditionCredentials, _ edition: EditionID, _ heldToken: HeldToken, isForNow: Bool) {
        pairs.append(
            Pair(
                credentials: pair, edition: edition, heldToken: heldToken,
                expires: expiry(under: heldToken, isForNow: isForNow))
        )
    }

    /// Returns the expiry of edition credentials issued now, or nil for none.
    private func expiry(under heldToken: HeldToken, isForNow: Bool) -> Date? {
        if world.titles[heldToken.title].saltFormat == .plain, !isForNow { return nil }
        let lifetimes = world.titles[heldToken.title].lifetimes
        let until = now.addingTimeInterval(isForNow ? lifetimes.failOpenCredentials : lifetimes.editionCredentials)
        // Salts have a precision of whole minutes.
        let minute = (min(until, heldToken.expires).timeIntervalSince1970 / 60).rounded(.up) * 60
        return Date(timeIntervalSince1970: minute)
    }

    /// Returns whether the credentials are correct. The salt distinguishes short-lived from ordinary ones.
    private func isCorrect(
        _ right: ModelCredentials, _ result: CredentialsResult, _ edition: EditionID, _ heldToken: HeldToken?
    ) -> Bool {
        switch result {
        case .granted(let pair, _, _):
            guard right == .granted || right == .grantedForNow, let heldToken else { return false }
            return world.expiry(of: pair, for: edition, in: heldToken.title)
                == expiry(under: heldToken, isForNow: right == .grantedForNow)
        case .rejected(let rejection, _):
            return right == (rejection.retryAfter == nil ? .rejected(rejection.reason) : .unavailable)
        }
    }

    private func message(_ result: CredentialsResult, _ edition: EditionID, _ heldToken: HeldToken?) -> String {
        guard case .granted(let pair, _, _) = result, let heldToken else { return Self.shape(result) }
        let end = world.expiry(of: pair, for: edition, in: heldToken.title)
        return "granted until \(end.map { "\($0.timeIntervalSince(now)) s" } ?? "no expiry")"
    }

    private static func shape(_ result: CredentialsResult) -> String {
        if case .rejected(let rejection, _) = result { "\(rejection)" } else { "granted" }
    }

    private static func isGranted(_ result: CredentialsResult) -> Bool { shape(result) == "granted" }

    func renew(_ token: Int?, _ title: Int) async throws {
        let tokenStatuses = tokenStatuses(token, in: title)
        let result: SignInResult?
        do {
            result = try await world.authorizationServices[title].renew(token: text(token), CallContext())
        } catch is Unavailable {
            result = nil
        }
        listen()
        if let heldToken = heldToken(token), tokenStatuses.count > 1, result?.rejection == .rejected, queried.isEmpty {
            // The session was ended or forgotten.
            return try require(tokenStatuses.contains { $0 != .good && $0 != .renewable }, "\(heldToken.title)")
        }
        guard let validity = tokenStatuses.first(where: { $0 == .good || $0 == .renewable }),
            let heldToken = heldToken(token)
        else {
            return try require(result?.rejection == .rejected, "renewal of \(tokenStatuses): \(result as Any)")
        }
        guard let value = try heard(.renew(heldToken.reader), Uncertainty(validity: validity)).value else {
            return try require(result == nil, "renewal during an outage: \(result as Any)")
        }
        guard case .authentication(.authenticated(let reader)) = value else {
            denials.record(.reader(heldToken.reader.key), true, by: present, at: elapsed)
            return try require(result?.rejection == .rejected, "renewal for a removed reader: \(result as Any)")
        }
        guard case .signedIn(let text, _, _)? = result else {
            throw Contradiction(description: "no renewed token for a known reader: \(result as Any)")
        }
        tally.count(.renewedAfterExpiry, if: validity == .renewable)
        track(text, title, reader, heldToken.device, sessionNumber: heldToken.sessionNumber, issued: heldToken.issued)
    }

    func signOut(_ token: Int?, _ title: Int) async throws {
        let tokenStatuses = tokenStatuses(token, in: title)
        var isDone = true
        do {
            try await world.authorizationServices[title].signOut(token: text(token), CallContext())
        } catch is Unavailable {
            isDone = false
        }
        listen()
        guard tokenStatuses.contains(where: { ![.missing, .unreadable, .ended].contains($0) }),
            let heldToken = heldToken(token)
        else {
            return try require(isDone, "sign-out without a valid token failed")
        }
        if !tokenStatuses.contains(.ended) {
            try require(isDone != world.isStoreBroken, "sign-out: \(isDone), store broken: \(world.isStoreBroken)")
        }
        guard isDone, !world.isStoreBroken else { return }
        end(heldToken.sessionNumber) {
            $0.sessionNumber == heldToken.sessionNumber
                || heldToken.device != nil && $0.device == heldToken.device && $0.title == title
                    && $0.reader.key == heldToken.reader.key
        }
    }

    /// Credentials open exactly their edition until their expiry, a little longer for a download that started before,
    /// and never after the end of their session.
    func download(_ number: Int, _ edition: EditionID?, _ title: Int?, _ isResume: Bool) throws {
        guard !pairs.isEmpty else { return }
        let pair = pairs[pairs.count - 1 - number % pairs.count]
        let edition = edition ?? pair.edition
        let title = title ?? pair.heldToken.title
        let basic = Data("\(pair.credentials.userid):\(pair.credentials.password)".utf8).base64EncodedString()
        let request = GateRequest(
            method: .get, target: "/content/\(world.titles[title].id)/\(edition)/index.html",
            authorization: ["Basic \(basic)"], isResume: isResume)
        let decision = world.gate.evaluate(request)
        var isCorrect = title == pair.heldToken.title && edition == pair.edition
        if let expires = pair.expires {
            let window = world.titles[title].lifetimes.resumeWindow
            let end = expires.addingTimeInterval(isResume ? window : 0)
            let (isInTime, hasEnded) = (now < end, hasEnded(pair.heldToken.sessionNumber))
            if isCorrect, !models[title].isFree(edition, at: now) {
                tally.count(.resumedAfterExpiry, if: isInTime && !hasEnded && now >= expires)
                tally.count(.deniedAfterExpiry, if: !isInTime && !hasEnded)
                tally.count(.deniedAfterEnd, if: isInTime && hasEnded)
            }
            isCorrect = isCorrect && isInTime && !hasEnded
            let isClosed = !decision.isAllowed
            if isClosed, isUncertain(pair.heldToken.sessionNumber) || mayBeEvicted(expires, in: title) { return }
        }
        tally.count(.downloaded, if: isCorrect)
        isCorrect = isCorrect || models[title].isFree(edition, at: now)
        try require(isCorrect == decision.isAllowed, "download of \(edition) in \(title): \(decision)")
    }
}

extension SignInResult {
    fileprivate var rejection: SignInRejection.Reason? {
        if case .rejected(let rejection) = self { rejection.reason } else { nil }
    }
}

extension GateDecision {
    fileprivate var isAllowed: Bool {
        if case .allowed = self { true } else { false }
    }
}
