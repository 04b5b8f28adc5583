// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct CivilDateTests {
    @Test(
        arguments: [
            (CivilDate(year: 1970, month: 1, day: 1), 0), (.init(year: 1969, month: 12, day: 31), -1),
            (.init(year: 1970, month: 12, day: 31), 364), (.init(year: 1972, month: 2, day: 29), 789),
            (.init(year: 2000, month: 2, day: 29), 11016), (.init(year: 2000, month: 3, day: 1), 11017),
            (.init(year: 2026, month: 1, day: 1), 20454), (.init(year: 1900, month: 3, day: 1), -25508),
            (.init(year: 1600, month: 2, day: 29), -135_081), (.init(year: 1, month: 1, day: 1), -719_162),
            (.init(year: 0, month: 3, day: 1), -719_468), (.init(year: 0, month: 2, day: 29), -719_469),
            (.init(year: -400, month: 3, day: 1), -865_565), (.init(year: -401, month: 12, day: 31), -865_626),
            (.init(year: 9999, month: 12, day: 31), 2_932_896),
        ] as [(CivilDate, Int64)])
    func aDayHasItsNumber(date: CivilDate, days: Int64) {
        #expect(date.daysSinceEpoch == days)
        #expect(CivilDate(daysSinceEpoch: days) == date)
    }

    /// More than 400 years of them, from before the year 0.
    @Test func daysFollowEachOtherAsInTheCalendar() {
        var (year, month, day) = (Int64(-1), Int64(1), Int64(1))
        let first = CivilDate(year: year, month: month, day: day).daysSinceEpoch
        for number in 0..<150_000 as Range<Int64> {
            let date = CivilDate(daysSinceEpoch: first + number)
            guard date == CivilDate(year: year, month: month, day: day), date.daysSinceEpoch == first + number else {
                Issue.record("\(date) is not \(year)-\(month)-\(day)")
                return
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            day += 1
            if day > lengths[Int(month) - 1] { (day, month) = (1, month + 1) }
            if month > 12 { (month, year) = (1, year + 1) }
        }
    }

    @Test(
        arguments: [
            (2024, 2, 29, true), (2023, 2, 29, false), (1900, 2, 29, false), (2000, 2, 29, true), (2023, 2, 30, false),
            (2023, 4, 30, true), (2023, 4, 31, false), (2023, 12, 31, true), (2023, 12, 32, false), (2023, 1, 0, false),
            (2023, 0, 1, false), (2023, 13, 1, false),
        ] as [(Int64, Int64, Int64, Bool)])
    func aDayExistsWhenTheCalendarHasIt(year: Int64, month: Int64, day: Int64, exists: Bool) {
        #expect(CivilDate(year: year, month: month, day: day).exists == exists)
    }
}
